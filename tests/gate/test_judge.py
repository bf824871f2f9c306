"""Which findings turn the gate red."""

from __future__ import annotations

from dataclasses import replace

import pytest
import report_factory
import synth

from spikedoc.gate.baseline import Entry
from spikedoc.gate.expectation import Expectation
from spikedoc.gate.judge import is_selected, judge
from spikedoc.gate.settings import Settings
from spikedoc.gate.verdict import Outcome, Verdict
from spikedoc.model.label import Kind, Severity, Status
from spikedoc.model.report import Report

FAILING = report_factory.failing()
RUN = synth.healthy(n=200).run


def verdict(report: Report = FAILING, known: dict[str, Entry] | None = None, **changes) -> Verdict:
    return judge(RUN, report, Settings(**changes), known or {})


def outcomes(found: Verdict) -> dict[str, Outcome]:
    return {c.id: c.outcome for c in found.checks if c.outcome is not Outcome.PASSED}


def test_the_threshold() -> None:
    severities = {f.anomaly.label: f.anomaly.severity for f in FAILING.findings}
    for threshold in Severity:
        expected = {
            label: Outcome.FAILED if severity.rank >= threshold.rank else Outcome.WARNED
            for label, severity in severities.items()
        }
        assert outcomes(verdict(fail_on=threshold)) == expected


def test_a_severity_of_ones_own_and_switched_off() -> None:
    worst = FAILING.findings[0].anomaly
    assert worst.severity is Severity.CRITICAL
    milder = verdict(severity={worst.label: Severity.INFO})
    assert outcomes(milder)[worst.label] is Outcome.WARNED
    assert worst.label not in outcomes(verdict(severity={worst.kind.value: None}))


def test_a_remark_is_never_made_a_fault() -> None:
    remark = replace(
        FAILING.findings[0],
        anomaly=replace(FAILING.findings[0].anomaly, severity=Severity.INFO),
    )
    report = replace(FAILING, findings=(remark,), status=Status.HEALTHY)
    found = verdict(report, severity={remark.anomaly.kind.value: Severity.CRITICAL})
    assert found.passed


def test_a_remark_that_is_switched_off_is_not_told() -> None:
    worst = FAILING.findings[0]
    remark = replace(worst, anomaly=replace(worst.anomaly, severity=Severity.INFO))
    report = replace(FAILING, findings=(remark,), status=Status.HEALTHY)
    for label in (remark.anomaly.label, remark.anomaly.kind.value):
        found = verdict(report, severity={label: None})
        assert outcomes(found) == {}
        assert outcomes(verdict(report)) == {remark.anomaly.label: Outcome.WARNED}


@pytest.mark.parametrize(
    ("label", "select", "ignore", "expected"),
    [
        ("nonfinite/persistent", (), (), True),
        ("nonfinite/persistent", ("nonfinite",), (), True),
        ("nonfinite/persistent", ("nonfinite/persistent",), (), True),
        ("nonfinite/persistent", ("nonfinite/transient",), (), False),
        ("nonfinite/persistent", ("nonfinite",), ("nonfinite/persistent",), False),
        ("nonfinite/persistent", (), ("nonfinite",), False),
        ("overfitting", ("nonfinite",), (), False),
    ],
)
def test_selection(label: str, select: tuple, ignore: tuple, expected: bool) -> None:
    assert is_selected(label, Settings(select=select, ignore=ignore)) is expected


def test_what_is_known_does_not_fail() -> None:
    first = verdict()
    known = {c.fingerprint: Entry(c.fingerprint, "", "", "") for c in first.failures}
    second = verdict(known=known)
    assert second.passed
    assert set(outcomes(second).values()) <= {Outcome.KNOWN, Outcome.WARNED}


def test_every_kind_has_a_check_so_that_a_history_has_no_holes() -> None:
    kinds = {check.id.partition("/")[0] for check in verdict().checks}
    assert kinds == {kind.value for kind in Kind}
    few = verdict(select=("overfitting",))
    assert [check.id for check in few.checks] == ["overfitting"]


def test_expectations_are_checks_too() -> None:
    found = verdict(report_factory.healthy(), expectations=(Expectation("lr.final", 0.0, 1.0),))
    assert [c.id for c in found.failures] == ["expect:lr.final"]
    assert not found.passed


def test_a_run_that_cannot_be_judged_does_not_pass() -> None:
    unknown = replace(report_factory.healthy(), findings=(), status=Status.UNKNOWN)
    assert not verdict(unknown).passed
    assert verdict(unknown).failures == ()
    assert verdict(unknown, allow_unknown=True).passed
