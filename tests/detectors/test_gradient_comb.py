"""Spikes of the gradient and the update at equal distances."""

from __future__ import annotations

import numpy as np
import pytest
import synth

from spikedoc.detectors.gradient_comb import detect
from spikedoc.model.anomaly import Shape
from spikedoc.model.metric import Metric
from spikedoc.model.run import Run

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
