"""A gradient norm that steps to many times its level for good."""

from __future__ import annotations

import numpy as np
import pytest
import synth

from spikedoc.detectors.gradient_step import detect
from spikedoc.model.anomaly import Detection, Shape
from spikedoc.model.metric import Metric


def steps_of(values: np.ndarray) -> tuple[Detection, ...]:
    return detect(synth.run(synth.series(values, Metric.GRAD_NORM)))


def calm(seed: int = 0, sigma: float = 0.2, n: int = 1000) -> np.ndarray:
    return np.exp(synth.noise("gauss", n, sigma, seed))


@pytest.mark.parametrize("factor", [15.0, 50.0, 1000.0])
def test_where_and_how_far(factor: float) -> None:
    values = calm()
    values[600:] *= factor
    (found,) = steps_of(values)
    assert (found.shape, found.first_step, found.last_step) == (Shape.STEP_UP, 601, 1000)
    assert found.measures["factor"] == pytest.approx(factor, rel=0.1)
    assert found.measures["before"] == pytest.approx(1.0, rel=0.1)


@pytest.mark.parametrize("factor", [3.0, 7.0])
def test_less_than_tenfold_is_none(factor: float) -> None:
    values = calm()
    values[600:] *= factor
    assert steps_of(values) == ()


def test_what_comes_back_is_none() -> None:
    values = calm()
    values[600:900] *= 50.0
    assert steps_of(values) == ()


def test_a_climb_is_no_step() -> None:
    values = calm()
    values[400:] *= np.minimum(50.0, np.exp(np.arange(600) / 25.0))
    assert steps_of(values) == ()


def test_a_warm_up_of_heavy_tails_is_none() -> None:
    for seed in range(20):
        assert steps_of(calm(seed, 0.8)) == ()


@pytest.mark.parametrize("values", [np.ones(79), np.zeros(500), -np.ones(500)])
def test_what_cannot_be_judged_is_none(values: np.ndarray) -> None:
    assert steps_of(values) == ()
    assert detect(synth.run(synth.series(np.ones(500)))) == ()
