"""Spikes of the gradient and the update at equal distances."""

from __future__ import annotations

import math
from itertools import pairwise

import naive
import numpy as np
import pytest
import synth
from told import Told, assert_told

from spikedoc.detectors.gradient_comb import detect
from spikedoc.model.anomaly import Shape
from spikedoc.model.metric import Metric
from spikedoc.model.run import Run
from spikedoc.signal.excursion import candidates
from spikedoc.signal.view import view

POINTS = 800
NOISE = np.exp(0.2 * np.random.default_rng(3).standard_normal(POINTS))
LOSS = synth.series(2.0 * NOISE)


def run(values: np.ndarray, *others: tuple[Metric, np.ndarray], metric: Metric) -> Run:
    parts = [LOSS, synth.series(values, metric)]
    return synth.run(*parts, *(synth.series(v, m) for m, v in others))


def comb(first: int, period: int, factor: float) -> np.ndarray:
    values = NOISE.copy()
    values[first::period] *= factor
    return values


@pytest.mark.parametrize("metric", [Metric.GRAD_NORM, Metric.UPDATE_NORM])
def test_spikes_at_equal_distances_are_one_pattern(metric: Metric) -> None:
    (found,) = detect(run(comb(60, 40, 20.0), metric=metric))
    assert (found.shape, found.signal) == (Shape.PERIOD, metric.value)
    assert found.measures["period"] == 40
    assert 15 <= found.measures["count"] <= 19
    assert found.measures["factor"] == pytest.approx(20.0, rel=0.2)


def test_spikes_at_any_distance_are_none() -> None:
    values = NOISE.copy()
    values[np.random.default_rng(1).choice(np.arange(60, POINTS), 18, replace=False)] *= 20.0
    assert detect(run(values, metric=Metric.GRAD_NORM)) == ()


@pytest.mark.parametrize(("period", "factor"), [(40, 2.2), (6, 20.0), (200, 20.0)])
def test_low_dense_or_few_spikes_are_no_comb(period: int, factor: float) -> None:
    assert detect(run(comb(60, period, factor), metric=Metric.GRAD_NORM)) == ()


def test_an_update_that_follows_the_schedule_is_no_comb() -> None:
    values = comb(60, 40, 20.0)
    lr = np.where(values > 6 * NOISE, 1e-2, 1e-3)
    assert detect(run(values, (Metric.LR, lr), metric=Metric.UPDATE_NORM)) == ()


@pytest.mark.parametrize(("first", "ends"), [(39, 1.0), (57, 0.0)])
def test_the_last_batch_of_an_epoch_is_told_apart(first: int, ends: float) -> None:
    """Steps count from 1, so index 39 is step 40, the last one of an epoch of 40 steps."""
    epoch = (np.arange(POINTS) + 1) / 40
    values = comb(first, 40, 20.0)
    (found,) = detect(run(values, (Metric.EPOCH, epoch), metric=Metric.GRAD_NORM))
    assert found.measures["of_epoch"] == 1.0
    assert found.measures["epoch_end"] == ends


def plain_comb(values: np.ndarray, stride: int, epoch: float | None, metric: Metric) -> list[Told]:
    """Six spikes and more, ten points apart and in step, three times the usual and each twice."""
    seen = view(1 + stride * np.arange(values.size), values)
    if len(seen) < 200 or float(seen.values.min()) <= 0:
        return []
    groups = [e for e in candidates(seen.judged) if e.rise >= math.log(2.0)]
    if len(groups) < 6:
        return []
    steps = [1 + stride * e.peak for e in groups]
    gaps = [b - a for a, b in pairwise(steps)]
    period, rise = naive.median(gaps), naive.median([e.rise for e in groups])
    whole = [max(1, round(gap / period)) for gap in gaps]
    slack = max(stride / period, 0.03)
    late = [abs(g / period - w) > slack * w for g, w in zip(gaps, whole, strict=True)]
    if period < 10 * stride or sum(late) > 0.1 * len(gaps) or len(gaps) < 0.8 * sum(whole):
        return []
    if rise < math.log(3.0):
        return []
    of_epoch = epoch is not None and abs(period - epoch) <= 0.03 * epoch + stride
    before_end = naive.median([-step % period for step in steps])
    ends = of_epoch and metric is Metric.GRAD_NORM and before_end <= stride
    highest = max(groups, key=lambda e: e.rise).peak * stride + 1
    measures = {
        "period": period,
        "count": float(len(groups)),
        "factor": math.exp(rise),
        "phase_step": naive.median([step % period for step in steps]),
        "of_epoch": float(of_epoch),
        "epoch_end": float(ends),
    }
    return [Told(Shape.PERIOD, (steps[0], highest, steps[-1]), measures)]


@pytest.mark.parametrize("block", range(10))
def test_combs_are_those_of_the_definition(block: int) -> None:
    for seed in range(20 * block, 20 * block + 20):
        rng = np.random.default_rng(seed)
        n, stride = int(rng.choice([199, 200, 400])), int(rng.choice([1, 3]))
        period = int(rng.choice([9, 10, 11, 30, 50]))
        values = np.exp(0.1 * rng.standard_normal(n))
        at = np.arange(int(rng.integers(0, period)), n, period)
        at = at[rng.random(at.size) < float(rng.choice([0.7, 0.85, 1.0]))]
        late = rng.random(at.size) < float(rng.choice([0.0, 0.08, 0.2]))
        at = np.minimum(at + late * int(rng.choice([1, 2])), n - 1)
        values[at] *= float(rng.choice([1.9, 2.2, 2.8, 3.3, 9.0])) * rng.uniform(
            0.95, 1.05, at.size
        )
        epoch = float(period * stride + rng.choice([0, 1, stride, 2 * stride, 4 * stride]))
        for metric in (Metric.GRAD_NORM, Metric.UPDATE_NORM):
            part = synth.series(values, metric, stride=stride)
            found = detect(synth.run(part, config={"steps_per_epoch": epoch}))
            assert_told(found, plain_comb(values, stride, epoch, metric))


@pytest.mark.parametrize(("rise", "moves"), [(1.049, False), (1.051, True)])
def test_a_rate_that_moves_by_a_twentieth_moves_the_update(rise: float, *, moves: bool) -> None:
    """Against the rate two points before: one that was raised at each of the spikes."""
    values = comb(60, 40, 20.0)
    lr = np.full(POINTS, 1.0)
    for at in range(60, POINTS, 40):
        lr[at - 1 : at + 1] = rise
    assert (detect(run(values, (Metric.LR, lr), metric=Metric.GRAD_NORM)) == ()) is moves


@pytest.mark.parametrize(
    ("usual", "one", "count"), [(3.0, 3.0, 18), (2.999, 3.0, 0), (3.0, 2.0, 18), (3.0, 1.999, 17)]
)
def test_three_times_the_usual_and_twice_for_each(usual: float, one: float, count: int) -> None:
    """On a constant the rise of a spike is its logarithm to the last digit."""
    values = np.ones(POINTS)
    values[90::40] = usual
    values[410] = one
    found = detect(run(values, metric=Metric.GRAD_NORM))
    assert [d.measures["count"] for d in found] == [float(count)] * bool(count)
