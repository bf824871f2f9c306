from __future__ import annotations

from dataclasses import replace

import numpy as np
import synth

from spikedoc.classifier.classify import classify
from spikedoc.detectors import drift, excursions
from spikedoc.evidence.base import Case
from spikedoc.evidence.slope import PROBES
from spikedoc.model.anomaly import Anomaly
from spikedoc.model.evidence import Verdict
from spikedoc.model.run import Run


def risen(length: int) -> tuple[Run, Anomaly]:
    """Return a run whose loss climbs to 1.5 times its level within `length` points, and that."""
    values = synth.settled()
    values *= 1.5 ** np.clip((np.arange(5000) - 2500) / length, 0.0, 1.0)
    run = synth.loss_run(values)
    (found,) = classify(run, drift.detect(run) + excursions.detect(run))
    return run, found


def asked(run: Run, anomaly: Anomaly) -> tuple[Verdict, dict[str, object]]:
    (probe,) = PROBES
    said = probe.answer(Case(run, anomaly, (anomaly,)))
    return said.verdict, dict(said.values)


def test_a_long_climb() -> None:
    verdict, values = asked(*risen(1000))
    assert verdict is Verdict.SUPPORTS
    assert abs(int(values["left"]) - 2500) < 250
    assert abs(int(values["steps"]) - 1000) < 300


def test_a_step_has_no_answer() -> None:
    assert asked(*risen(1))[0] is Verdict.UNKNOWN


def test_a_climb_of_which_no_slope_was_seen_has_no_answer() -> None:
    run, found = risen(1000)
    assert asked(run, replace(found, detections=()))[0] is Verdict.UNKNOWN
