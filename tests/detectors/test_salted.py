"""Every discovered detector on broken series: no exception, no warning, spans inside the run.

A new detector is tested here before its author writes a test.
"""

from __future__ import annotations

import math

import pytest
from salts import SALTS, STEPS, salted_run

import spikedoc.detectors
from spikedoc.classifier.classify import classify
from spikedoc.detectors.base import Detector
from spikedoc.model.anomaly import Detection
from spikedoc.model.label import FORMS
from spikedoc.model.run import Run
from spikedoc.plugins import discover

DETECTORS: dict[str, Detector] = discover(spikedoc.detectors, "DETECTOR")


def check(run: Run, found: tuple[Detection, ...], name: str) -> None:
    for d in found:
        series = run.named(d.signal)
        assert d.detector == name
        assert series is not None
        for step in (d.first_step, d.peak_step, d.last_step):
            assert type(step) is int
            assert step in series.steps
        assert d.first_step <= d.peak_step <= d.last_step
        for key, value in d.measures.items():
            assert type(value) is float, key
            assert not math.isnan(value), key


def check_all(run: Run) -> None:
    """Run every detector and the classifier on what they find."""
    found: list[Detection] = []
    for name, detector in DETECTORS.items():
        own = detector(run)
        check(run, own, name)
        found += own
    for a in classify(run, tuple(found)):
        assert run.named(a.signal) is not None
        assert run.first_step <= a.start_step <= a.peak_step <= a.end_step <= run.last_step
        assert 0.0 < a.confidence <= 1.0
        assert a.form is None or a.form in FORMS[a.kind]
        for key, value in a.measures.items():
            assert type(value) is float, key


@pytest.mark.parametrize("salt", SALTS)
def test_every_detector_bears_broken_series(salt: str) -> None:
    check_all(salted_run(salt))


@pytest.mark.parametrize("loss", ["huge-signs", "one-finite", "empty", "one-step"])
@pytest.mark.parametrize("salt", ["healthy", "holes", "huge", "two-extremes", "ends-nan"])
def test_every_detector_bears_a_loss_unlike_the_rest(salt: str, loss: str) -> None:
    check_all(salted_run(salt, loss=loss))


@pytest.mark.parametrize("steps", STEPS)
@pytest.mark.parametrize("salt", ["healthy", "holes", "one-huge", "two-values", "rising"])
def test_every_detector_bears_odd_steps(salt: str, steps: str) -> None:
    check_all(salted_run(salt, steps))


@pytest.mark.parametrize("name", DETECTORS)
def test_a_detector_is_silent_without_series(name: str) -> None:
    assert DETECTORS[name](Run("bare", "bare", ())) == ()
