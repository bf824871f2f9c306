"""Single evaluations that go wrong while the training goes on."""

from __future__ import annotations

import math

import naive
import numpy as np
import pytest
import synth
from told import Told, assert_told

from spikedoc.detectors.evaluations import detect
from spikedoc.model.anomaly import Shape
from spikedoc.model.metric import Metric
from spikedoc.model.run import Run

TRAIN = 0.05 + 2.0 * np.exp(-np.arange(1000) / 200.0)


def falling(n: int = 20, sigma: float = 0.02, seed: int = 0) -> np.ndarray:
    """Return a validation loss that falls from 2 to 1."""
    return (1.0 + np.exp(-np.arange(n) / 4.0)) * np.exp(synth.noise("gauss", n, sigma, seed))


def run(val: np.ndarray, accuracy: np.ndarray | None = None, tag: str = "val/acc") -> Run:
    stride = TRAIN.size // val.size
    parts = [synth.series(TRAIN), synth.series(val, Metric.VAL_LOSS, stride=stride, first=stride)]
    if accuracy is not None:
        parts.append(
            synth.series(accuracy, Metric.VAL_METRIC, tag=tag, stride=stride, first=stride)
        )
    return synth.run(*parts)


def test_one_evaluation_twice_as_high() -> None:
    val = falling()
    val[9] *= 2.0
    (found,) = detect(run(val))
    assert (found.shape, found.signal, found.first_step) == (Shape.POINT, "val_loss", 500)
    assert found.measures["factor"] == pytest.approx(2.0, rel=0.1)
    assert found.measures["peak"] == val[9]
    assert found.measures["metric_drop"] == 0.0


def test_the_share_of_the_quality_that_is_missing_there() -> None:
    val, accuracy = falling(), np.full(20, 0.8)
    val[9] *= 2.0
    accuracy[9] = 0.2
    (found,) = detect(run(val, accuracy))
    assert found.measures["metric_drop"] == pytest.approx(0.75)
    # An error rate that falls to a quarter there is no loss.
    (found,) = detect(run(val, accuracy, tag="val/error"))
    assert found.measures["metric_drop"] == 0.0


@pytest.mark.parametrize("seed", range(20))
def test_noisy_evaluations_are_quiet(seed: int) -> None:
    assert detect(run(falling(40, 0.1, seed))) == ()


def test_two_high_ones_in_a_row_do_not_hide_each_other() -> None:
    val = falling()
    val[9:11] *= 3.0
    assert [d.first_step for d in detect(run(val))] == [500, 550]


def test_the_first_evaluations_may_jump() -> None:
    val = falling()
    val[1] *= 3.0
    assert detect(run(val)) == ()


def test_too_few_or_no_training_loss_says_nothing() -> None:
    val = falling(11)
    val[6] *= 3.0
    assert detect(run(val)) == ()
    assert detect(synth.run(synth.series(falling(), Metric.VAL_LOSS))) == ()


def around(values: list[float], i: int) -> list[float]:
    return values[max(0, i - 2) : i] + values[i + 1 : i + 3]


def plain_points(steps: list[int], values: list[float], accuracy: list[float]) -> list[Told]:
    """Half as much again, and five scatters, above the two on either side; the first tenth and two
    evaluations at least left out."""
    n = len(values)
    if n < 12 or min(values) <= 0:
        return []
    logs = [math.log(v) for v in values]
    apart = [v - naive.median(around(logs, i)) for i, v in enumerate(logs)]
    noise = max(naive.scatter(apart), 0.02)
    told = []
    for i in range(max(2, n // 10), n):
        if apart[i] < max(math.log(1.5), 5.0 * noise):
            continue
        usual = naive.median(around(accuracy, i))
        measures = {
            "z": apart[i] / noise,
            "rise": apart[i],
            "factor": math.exp(apart[i]),
            "before": values[i] / math.exp(apart[i]),
            "peak": values[i],
            "metric_drop": max(0.0, 1.0 - accuracy[i] / usual) if usual > 0 else 0.0,
        }
        told.append(Told(Shape.POINT, (steps[i],) * 3, measures))
    return told


@pytest.mark.parametrize("block", range(10))
def test_evaluations_stand_out_where_the_definition_says(block: int) -> None:
    for seed in range(40 * block, 40 * block + 40):
        rng = np.random.default_rng(seed)
        n = int(rng.choice([11, 12, 13, 29, 30, 40]))
        noise = float(rng.choice([0.0, 0.02, 0.08, 0.1]))
        val = (1.0 + np.exp(-np.arange(n) / 4.0)) * np.exp(noise * rng.normal(size=n))
        for at in rng.integers(0, n, int(rng.integers(1, 4))):
            val[at] *= float(rng.choice([1.4, 1.49, 1.52, 1.6, 3.0]))
        accuracy = rng.random(n) * float(rng.choice([0.0, 1.0]))
        stride = TRAIN.size // n
        steps = list(range(stride, stride * n + 1, stride))
        expected = plain_points(steps, val.tolist(), accuracy.tolist())
        assert_told(detect(run(val, accuracy)), expected)


@pytest.mark.parametrize(("height", "told"), [(1.5, 1), (float(np.nextafter(1.5, 1.0)), 0)])
def test_exactly_half_as_much_again(height: float, told: int) -> None:
    """Evaluations that are alike scatter by 2 %: five of that are far less than ln 1.5."""
    val = np.ones(20)
    val[10] = height
    assert len(detect(run(val))) == told


@pytest.mark.parametrize(("points", "at", "told"), [(12, 2, 1), (12, 1, 0), (30, 3, 1), (30, 2, 0)])
def test_the_first_tenth_and_two_evaluations_are_left_out(points: int, at: int, told: int) -> None:
    val = np.ones(points)
    val[at] = 2.0
    assert len(detect(run(val))) == told


def test_the_largest_drop_of_a_metric_at_that_step_is_told() -> None:
    """Half of what it is around it, where higher is better and the step was evaluated."""
    val, accuracy = np.ones(20), np.full(20, 0.8)
    val[10], accuracy[10] = 2.0, 0.4
    for tag, drop in (("val/acc", 0.5), ("val/wer", 0.0)):
        (found,) = detect(run(val, accuracy, tag))
        assert found.measures["metric_drop"] == drop
    (found,) = detect(run(val, accuracy[:10]))
    assert found.measures["metric_drop"] == 0.0


@pytest.mark.parametrize("height", [3.0, 36.0])
def test_a_step_that_stays_is_no_single_evaluation(height: float) -> None:
    k = np.arange(60)
    val = 2.1 / (1.0 + k / 9.0)
    assert not detect(run(np.where(k < 30, val, height * val)))
    (found,) = detect(run(np.where(k == 30, height * val, val)))
    assert found.first_step == 16 * 31
