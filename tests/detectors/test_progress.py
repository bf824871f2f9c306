"""Whether the loss goes down at all."""

from __future__ import annotations

import numpy as np
import pytest
import synth

from spikedoc.detectors.progress import detect
from spikedoc.model.anomaly import Shape


def test_a_loss_that_never_falls_is_flat_with_its_levels() -> None:
    (found,) = detect(synth.flat(2.3, n=800, sigma=0.01).run)
    assert (found.shape, found.first_step, found.last_step) == (Shape.FLAT, 1, 800)
    m = found.measures
    for name in ("first", "best", "last"):
        assert m[name] == pytest.approx(2.3, abs=0.03)
    assert m["relative_noise"] == pytest.approx(0.01, rel=0.15)
    assert m["points"] == 800.0
    assert abs(m["fall_score"]) < 4.0


def test_a_fall_below_ten_per_cent_is_measured() -> None:
    (found,) = detect(synth.slow(0.06).run)
    assert found.measures["fall"] == pytest.approx(0.06, abs=0.02)
    assert found.measures["fall_score"] > 10.0
    assert found.measures["tau"] < -0.8


@pytest.mark.parametrize("fall", [0.15, 0.5, 3.0])
def test_a_larger_one_is_progress(fall: float) -> None:
    assert detect(synth.slow(fall).run) == ()


def test_it_is_the_best_level_that_counts_not_the_end() -> None:
    values = synth.curve("converged", 1000, sigma=0.05)
    values[600:] = 5.0
    assert detect(synth.loss_run(values)) == ()


@pytest.mark.parametrize("shape", ["language", "converged", "fine-tune"])
def test_healthy_curves_make_progress(shape: str) -> None:
    assert detect(synth.healthy(shape, 300, sigma=0.05).run) == ()


def test_a_noiseless_line_down_has_no_finite_score() -> None:
    (found,) = detect(synth.loss_run(np.where(np.arange(300) < 150, 1.0, 0.95)))
    assert found.measures["fall_score"] == np.inf
    (found,) = detect(synth.loss_run(np.ones(300)))
    assert found.measures["fall_score"] == 0.0


@pytest.mark.parametrize(
    "values", [np.ones(29), np.zeros(300), -np.ones(300), np.full(300, np.nan)]
)
def test_what_has_no_ratio_is_not_judged(values: np.ndarray) -> None:
    assert detect(synth.loss_run(values)) == ()
