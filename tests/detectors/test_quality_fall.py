"""A reward or quality that was won and lost."""

from __future__ import annotations

import numpy as np
import pytest
import synth

from spikedoc.detectors.quality_fall import detect
from spikedoc.model.anomaly import Shape
from spikedoc.model.metric import Metric
from spikedoc.model.run import Run

POINTS = 400
TIME = np.linspace(0.0, 1.0, POINTS)
NOISE = 0.3 * np.random.default_rng(7).standard_normal(POINTS)
RISE = 2.0 * np.minimum(TIME / 0.3, 1.0)


def run(values: np.ndarray, metric: Metric = Metric.REWARD, tag: str = "reward") -> Run:
    return synth.run(synth.series(values, metric, tag=tag, name=tag))


def test_a_reward_that_falls_back_for_good_is_told_from_where_it_falls() -> None:
    (found,) = detect(run(np.where(TIME < 0.6, RISE, 0.1) + NOISE))
    assert (found.shape, found.signal) == (Shape.DROP, "reward")
    assert 220 <= found.first_step <= 260
    assert found.measures["best"] == pytest.approx(2.0, abs=0.2)
    assert found.measures["after"] == pytest.approx(0.1, abs=0.2)


@pytest.mark.parametrize(
    "values",
    [
        RISE,
        np.where((TIME > 0.5) & (TIME < 0.7), 0.0, RISE),  # comes back
        np.where(TIME < 0.6, RISE, 1.5),  # a quarter lost
        np.where(TIME < 0.9, RISE, 0.0),  # too late to say that it stays
        np.full(POINTS, 1.0),
        2.0 - RISE,  # had never won anything
    ],
)
def test_what_recovers_stays_or_was_never_won_is_not(values: np.ndarray) -> None:
    assert detect(run(values + NOISE)) == ()


def test_an_error_is_lost_when_it_rises() -> None:
    error = 3.0 - np.where(TIME < 0.6, RISE, 0.1) + NOISE
    (found,) = detect(run(error, Metric.VAL_METRIC, "val_mae"))
    assert found.measures["best"] == pytest.approx(1.0, abs=0.2)
    assert detect(run(error, Metric.VAL_METRIC, "val_something")) == ()


def test_few_values_tell_nothing() -> None:
    assert detect(run(np.array([0.0, 1.0, 0.0] * 10))) == ()
