"""One update at next to no learning rate that changes everything."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
import synth
from told import Told, assert_told

from spikedoc.detectors.first_update import detect
from spikedoc.model.anomaly import Shape
from spikedoc.model.metric import Metric
from spikedoc.model.run import Run


def run(loss: list[float], lr: list[float], steps: list[int] | None = None) -> Run:
    at = np.arange(1, len(loss) + 1) if steps is None else np.array(steps)
    return synth.run(
        replace(synth.series(np.array(loss), Metric.LOSS), steps=at),
        replace(synth.series(np.array(lr), Metric.LR), steps=at.copy()),
    )


def test_from_a_trained_loss_to_a_guess() -> None:
    (found,) = detect(run([2.28, 11.05, 11.04], [1.2e-9, 2.4e-9, 3.6e-9]))
    assert found.shape is Shape.LEAP
    assert (found.first_step, found.last_step) == (2, 3)
    assert found.measures["before"] == 2.28
    assert found.measures["factor"] == pytest.approx(11.05 / 2.28)
    assert found.measures["lr"] == 2.4e-9


@pytest.mark.parametrize(
    ("loss", "lr"),
    [
        ([2.28, 11.05], [1e-4, 1e-4]),  # such a rate can do that
        ([2.28, 11.05], [0.0, 0.0]),  # rounded by the log: unknown
        ([0.01, 1.5], [1e-9, 1e-9]),  # a single hard batch
        ([2.28, 4.2], [1e-9, 1e-9]),
        ([2.28, 11.05, 2.3], [1e-9, 1e-9, 1e-9]),  # one bad batch
        ([-1.0, 11.0], [1e-9, 1e-9]),
        ([np.nan, 11.0], [1e-9, 1e-9]),
        ([2.28], [1e-9]),
    ],
)
def test_what_a_learning_rate_or_a_batch_can_do(loss: list[float], lr: list[float]) -> None:
    assert detect(run(loss, lr)) == ()


def test_many_updates_between_two_lines() -> None:
    assert detect(run([2.28, 11.05], [1e-9, 1e-9], [10, 20])) == ()
    assert len(detect(run([2.28, 11.05], [1e-9, 1e-9], [10, 12]))) == 1


def test_only_the_first_updates() -> None:
    loss = [2.0] * 11 + [11.0] * 3
    assert detect(run(loss, [1e-9] * 14)) == ()
    assert len(detect(run(loss[1:], [1e-9] * 13))) == 1


def test_without_a_learning_rate_nothing_is_known() -> None:
    assert detect(synth.loss_run(np.array([2.28, 11.05]))) == ()


def plain_leap(steps: list[int], loss: list[float], lr: list[float]) -> list[Told]:
    """Twice the loss and two nats more, two steps on at most, among the first ten, with a rate of a
    millionth at most so far; it does not come back."""
    for i in range(1, min(len(loss), 11)):
        before, after = loss[i - 1], loss[i]
        if not (math.isfinite(before) and math.isfinite(after) and before > 0):
            continue
        if after < 2.0 * before or after - before < 2.0 or steps[i] - steps[i - 1] > 2:
            continue
        rates = [v for v in lr[: i + 1] if math.isfinite(v)]
        back = min(v for v in loss[i:] if math.isfinite(v))
        if rates and 0 < max(rates) <= 1e-6 and back >= 2.0 * before:
            measures = {"before": before, "after": after, "factor": after / before}
            measures["lr"] = max(rates)
            return [Told(Shape.LEAP, (steps[i], steps[i], steps[-1]), measures)]
    return []


@pytest.mark.parametrize("block", range(10))
def test_leaps_are_those_of_the_definition(block: int) -> None:
    for seed in range(60 * block, 60 * block + 60):
        rng = np.random.default_rng(seed)
        n = int(rng.choice([1, 2, 3, 9, 13, 15]))
        steps = np.cumsum(rng.choice([1, 1, 2, 3], n))
        low = float(rng.choice([1.0, 2.0, 3.0, 0.0]))
        high = float(rng.choice([3.0, 2.9, 3.9, 4.0, 6.0, 9.0]))
        at = int(rng.integers(0, n + 1))
        loss = np.where(np.arange(n) < at, low, high)
        if seed % 3 == 0:
            loss[int(rng.integers(0, n))] = float(
                rng.choice([np.nan, np.inf, 2.0 * low, 1.9 * low])
            )
        lr = np.minimum(np.arange(n) * 1e-7, float(rng.choice([1e-6, 1.1e-6, 1e-7])))
        if seed % 5 == 0:
            lr[: int(rng.integers(0, n + 1))] = float(rng.choice([np.nan, 0.0]))
        found = detect(run(loss.tolist(), lr.tolist(), steps.tolist()))
        assert_told(found, plain_leap(steps.tolist(), loss.tolist(), lr.tolist()))
