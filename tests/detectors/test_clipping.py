"""Clipping that acts always, or never."""

from __future__ import annotations

import numpy as np
import pytest
import synth

from spikedoc.detectors.clipping import detect
from spikedoc.model.anomaly import Detection, Shape
from spikedoc.model.metric import Metric
from spikedoc.model.run import ConfigValue


def norms(n: int = 1000) -> np.ndarray:
    return np.exp(synth.noise("gauss", n, 0.15, 0))


def found(values: np.ndarray, metric: Metric = Metric.GRAD_NORM, **config: ConfigValue
          ) -> tuple[Detection, ...]:  # fmt: skip
    return detect(synth.run(synth.series(values, metric), config=config))


def test_a_threshold_below_nearly_all_norms_is_saturated() -> None:
    (d,) = found(norms(), clip=0.5)
    assert (d.shape, d.first_step, d.last_step) == (Shape.CEILING, 1, 1000)
    m = d.measures
    assert (m["saturated"], m["clip"], m["share"]) == (1.0, 0.5, 1.0)
    assert m["p99"] == pytest.approx(np.exp(0.15 * 2.33), rel=0.05)


def test_a_threshold_far_above_all_norms_never_acts() -> None:
    (d,) = found(norms(), clip=50.0)
    assert (d.measures["saturated"], d.measures["share"]) == (0.0, 0.0)


@pytest.mark.parametrize("clip", [0.9, 1.0, 1.5, 5.0])
def test_ordinary_thresholds_are_silent(clip: float) -> None:
    assert found(norms(), clip=clip) == ()


def test_only_the_late_half_says_whether_it_always_acts() -> None:
    values = norms()
    values[:400] *= 0.1
    assert len(found(values, clip=0.5)) == 1


def test_norms_logged_after_clipping_show_the_ceiling() -> None:
    values = np.minimum(norms(), 0.95)
    for metric in (Metric.GRAD_NORM, Metric.GRAD_NORM_CLIPPED):
        (d,) = found(values, metric)
        assert (d.measures["saturated"], d.measures["clip"]) == (1.0, 0.95)
        assert d.measures["share"] == pytest.approx(0.63, abs=0.1)


@pytest.mark.parametrize("clip", [0, -1.0, True, "1.0", None])
def test_a_setting_that_is_no_threshold_is_not_used(clip: ConfigValue) -> None:
    assert found(norms(), clip=clip) == ()


@pytest.mark.parametrize("values", [norms(99), np.ones(500), np.zeros(500), -norms()])
def test_what_is_no_clipping_is_silent(values: np.ndarray) -> None:
    assert found(values) == ()


def test_without_gradient_norms_nothing_is_said() -> None:
    assert detect(synth.loss_run(synth.curve(), clip=0.5)) == ()
