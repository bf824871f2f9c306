"""Gradual rises of the loss are told from where it left its course."""

from __future__ import annotations

import numpy as np
import pytest
import synth

from spikedoc.classifier.classify import classify
from spikedoc.model.anomaly import Anomaly
from spikedoc.model.label import Form, Kind
from spikedoc.model.run import Run
from spikedoc.pipeline import detect

POINTS = 2000
AT = 900
TIME = np.arange(POINTS)
RISEN = (Kind.DIVERGENCE, Kind.SUSTAINED_DRIFT, Kind.LEVEL_SHIFT)


def first(run: Run) -> Anomaly:
    return next(a for a in classify(run, detect(run)) if a.kind in RISEN)


def noisy(course: np.ndarray, seed: int, size: float) -> Run:
    noise = np.random.default_rng(seed).standard_normal(POINTS)
    return synth.run(synth.series(course * np.exp(size * noise)))


@pytest.mark.parametrize("falls", [0.0, 3.0])
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("size", [0.02, 0.1])
def test_a_rise_is_told_from_where_it_began(falls: float, seed: int, size: float) -> None:
    course = 1.5 + falls * np.exp(-TIME / 160.0)
    rise = np.clip((TIME - AT) / (POINTS - AT), 0.0, None) * np.log(4.0)
    found = first(noisy(course * np.exp(rise), seed, size))
    assert -40 <= found.start_step - AT <= 100


@pytest.mark.parametrize("seed", range(4))
def test_a_step_stays_where_it_is(seed: int) -> None:
    course = np.where(TIME < AT, 1.5 + 3.0 * np.exp(-TIME / 160.0), 4.0)
    found = first(noisy(course, seed, 0.05))
    assert abs(found.start_step - 1 - AT) <= 2


def test_a_noisy_loss_that_never_fell_rises_from_where_it_does() -> None:
    rise = np.clip((TIME - AT) / (POINTS - AT), 0.0, None) * np.log(3.0)
    found = first(noisy(2.0 * np.exp(rise), 1, 0.1))
    assert (found.kind, found.form) == (Kind.DIVERGENCE, Form.FINITE)
    assert -40 <= found.start_step - AT <= 150
