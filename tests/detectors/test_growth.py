"""Logits, scales and weights that grow without bound."""

from __future__ import annotations

import numpy as np
import pytest
import synth

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
