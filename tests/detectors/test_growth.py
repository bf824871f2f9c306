"""Logits, scales and weights that grow without bound."""

from __future__ import annotations

import math

import naive
import numpy as np
import pytest
import synth
from told import Told, assert_told

from spikedoc.detectors.growth import detect
from spikedoc.model.anomaly import Shape
from spikedoc.model.metric import Metric
from spikedoc.model.run import Run, Series

POINTS = 400
TIME = np.linspace(0.0, 1.0, POINTS)
NOISE = np.exp(0.02 * np.random.default_rng(5).standard_normal(POINTS))


def run(part: Series) -> Run:
    return synth.run(synth.series(2.0 * NOISE), part)


def test_logits_that_pass_a_hundred_and_go_on_are_told() -> None:
    (found,) = detect(run(synth.series(3.0 * np.exp(6.0 * TIME) * NOISE, Metric.MAX_LOGIT)))
    assert (found.shape, found.signal) == (Shape.RAMP, "max_logit")
    assert found.measures["factor"] > 200
    assert found.last_step == POINTS


@pytest.mark.parametrize(
    "values",
    [
        3.0 * np.exp(3.0 * TIME),  # to 60: within what is usual
        30.0 * np.exp(2.0 * TIME),  # sevenfold
        3.0 * np.exp(5.0 * np.minimum(TIME, 0.5) / 0.5),  # to 445, and stays
        300.0 * np.exp(-2.0 * TIME),
    ],
)
def test_logits_that_stay_low_or_settle_are_not(values: np.ndarray) -> None:
    assert detect(run(synth.series(values * NOISE, Metric.MAX_LOGIT))) == ()


def test_weights_are_told_by_their_growth_alone() -> None:
    (found,) = detect(run(synth.series(7.0 * np.exp(4.0 * TIME), Metric.WEIGHT_NORM)))
    assert found.signal == "weight_norm"
    assert detect(run(synth.series(7.0 * (1 + 3 * np.sqrt(TIME)), Metric.WEIGHT_NORM))) == ()


@pytest.mark.parametrize("power", [1.2, 1.5, 2.0, 3.0])
def test_weights_that_start_at_zero_are_soon_many_times_that(power: float) -> None:
    values = 1e-3 + 4.0 * TIME**power  # an adapter, while the learning rate warms up
    assert detect(run(synth.series(values * NOISE, Metric.WEIGHT_NORM))) == ()


@pytest.mark.parametrize("quiet", [0.0, 0.3, 0.5])
def test_weights_that_run_away_later_are_told(quiet: float) -> None:
    values = 7.0 * np.exp(5.0 * np.maximum(0.0, TIME - quiet) / (1.0 - quiet))
    assert len(detect(run(synth.series(values * NOISE, Metric.WEIGHT_NORM)))) == 1


@pytest.mark.parametrize(("end", "told"), [(1000.0, 1), (100.0, 0)])
def test_a_contrastive_scale_is_held_at_a_hundred(end: float, told: int) -> None:
    values = 5.0 * (end / 5.0) ** TIME
    part = synth.series(values, Metric.OTHER, tag="train/logit_scale", name="other:logit_scale")
    assert len(detect(run(part))) == told


def test_values_that_are_no_sizes_are_left_alone() -> None:
    assert detect(run(synth.series(np.linspace(-5, 500, POINTS), Metric.MAX_LOGIT))) == ()
    assert detect(run(synth.series(np.array([1.0, 1e4]), Metric.MAX_LOGIT))) == ()


def plain_growth(values: list[float], bound: float) -> list[Told]:
    """Beyond the bound, tenfold, and by half again within the last third, mostly rising."""
    n = len(values)
    if n < 40 or min(values) <= 0:
        return []
    level = naive.block_medians([math.log(v) for v in values], n // 20)
    count = len(level)
    last = level[-(count // 3) :]
    grown = level[-1] - min(level[: count // 2])
    if math.exp(level[-1]) <= bound or grown < math.log(10.0):
        return []
    if last[-1] - last[0] < math.log(1.5) or naive.kendall_tau(last) < 0.8:
        return []
    third = count // 3
    borders = [level[count - 1 - k * third] for k in range(3)]
    if bound == 0.0 and borders[0] - borders[1] < 0.75 * (borders[1] - borders[2]):
        return []
    lowest = min(level)
    low = max(i for i, v in enumerate(level) if v <= lowest + math.log(2.0))
    first = min(n - 1, (low + 1) * (n // 20)) + 1
    before, after = math.exp(lowest), math.exp(level[-1])
    measures = {"before": before, "after": after, "factor": after / before, "grows": 1.0}
    return [Told(Shape.RAMP, (first, n, n), measures)]


@pytest.mark.parametrize("block", range(10))
def test_growth_is_that_of_the_definition(block: int) -> None:
    for seed in range(40 * block, 40 * block + 40):
        rng = np.random.default_rng(seed)
        n = int(rng.choice([39, 40, 59, 60, 200]))
        t = np.arange(n) / n
        end = float(rng.choice([99.0, 101.0, 109.0, 111.0, 1000.0]))
        total = float(np.log(rng.choice([9.0, 10.0, 11.0, 50.0])))
        bends = float(rng.choice([0.4, 0.7, 1.0, 2.0]))
        logs = np.log(end) - total + total * t**bends
        if seed % 3 == 0:
            logs[: n // 4] = logs[n // 4]
        if seed % 5 == 0:
            logs[-n // 3 :] = np.linspace(logs[-n // 3], logs[-1], logs[-n // 3 :].size)
        values = np.exp(logs + float(rng.choice([0.0, 0.01, 0.2])) * rng.normal(size=n))
        for metric, tag, bound in (
            (Metric.MAX_LOGIT, "max_logit", 100.0),
            (Metric.WEIGHT_NORM, "weight_norm", 0.0),
            (Metric.OTHER, "train/logit_scale", 110.0),
        ):
            found = detect(synth.run(synth.series(values, metric, tag=tag)))
            assert_told(found, plain_growth(values.tolist(), bound))
