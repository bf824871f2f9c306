"""Excursions at equal distances become one pattern."""

from __future__ import annotations

from dataclasses import replace

import pytest
import synth

from spikedoc.classifier.context import build
from spikedoc.classifier.regular import as_pattern
from spikedoc.model.anomaly import Anomaly, Detection, Shape
from spikedoc.model.label import Form, Kind, Severity

CONTEXT = build(synth.healthy(n=1000).run, ())


def hump(step: int, rise: float = 1.0, severity: Severity = Severity.WARNING) -> Anomaly:
    seen = Detection("any", Shape.BURSTS, "loss", step, step + 2, step + 9, {})
    measures = {"rise": rise}
    return Anomaly(
        *(Kind.SLOW_RECOVERY, severity, 0.8, "loss", step, step + 2, step + 9, None),
        *(measures, (seen,)),
    )


def test_four_events_are_one_finding() -> None:
    found = [hump(150), hump(300, rise=2.0), hump(451), hump(600)]
    (pattern,) = as_pattern(CONTEXT, found)
    assert (pattern.kind, pattern.form) == (Kind.PERIODIC_SPIKES, Form.FIXED_PERIOD)
    assert (pattern.start_step, pattern.peak_step, pattern.end_step) == (150, 302, 609)
    assert pattern.measures == {"period": 150.0, "count": 4.0}
    assert [d.first_step for d in pattern.detections] == [150, 300, 451, 600]
    assert (pattern.severity, pattern.confidence) == (Severity.WARNING, 0.8)


@pytest.mark.parametrize(
    "steps",
    [(150, 300, 450), (150, 300, 470, 600), (150, 300, 375, 450, 600), (10, 13, 16, 19)],
    ids=["three", "one off", "one between", "closer than they are known"],
)
def test_others_stay_what_they_are(steps: tuple[int, ...]) -> None:
    found = [hump(step) for step in steps]
    assert as_pattern(CONTEXT, found) == found


def test_remarks_alone_make_no_alarm_but_break_the_order() -> None:
    remarks = [hump(step, severity=Severity.INFO) for step in (150, 300, 450, 600)]
    assert as_pattern(CONTEXT, remarks) == remarks
    broken = [*(hump(step) for step in (150, 300, 450, 600)), replace(remarks[0], start_step=520)]
    assert as_pattern(CONTEXT, broken) == broken


def test_what_is_no_excursion_of_the_loss_is_kept() -> None:
    other = replace(hump(150), signal="grad_norm")
    pattern, kept = as_pattern(CONTEXT, [other, *(hump(step) for step in (150, 300, 450, 600))])
    assert (pattern.kind, kept) == (Kind.PERIODIC_SPIKES, other)


def test_a_pattern_that_is_known_is_not_told_twice() -> None:
    known = replace(hump(100), kind=Kind.PERIODIC_SPIKES)
    found = [known, *(hump(step) for step in (150, 300, 450, 600))]
    assert as_pattern(CONTEXT, found) == found
