"""From a run and its report to a verdict."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from spikedoc.gate.baseline import Entry, fingerprint
from spikedoc.gate.log_line import with_lines
from spikedoc.gate.reference import reference_checks
from spikedoc.gate.settings import Settings
from spikedoc.gate.verdict import Check, Outcome, Verdict
from spikedoc.model.anomaly import Anomaly
from spikedoc.model.label import Kind, Severity
from spikedoc.model.report import Finding, Report
from spikedoc.model.run import Run
from spikedoc.reference.band import Reference
from spikedoc.text import Text

NO_FINDING: Final = Text("Nothing of this kind was found", "没有发现此类问题")


def judge(
    run: Run,
    report: Report,
    settings: Settings,
    known: Mapping[str, Entry],
    reference: Reference | None = None,
) -> Verdict:
    """Return the verdict: a check per finding and expectation, and one per label that is clean.

    With a reference also one per signal of it.
    """
    checks = [
        check
        for finding in report.findings
        if (check := _finding(report, finding, settings, known)) is not None
    ]
    anomalies = [finding.anomaly for finding in report.findings]
    for expectation in settings.expectations:
        check = expectation.check(run, anomalies, reference)
        if check is not None:
            checks.append(check)
    checks += _clean(checks, settings)
    if reference is not None:
        checks += reference_checks(run, reference)
    return Verdict(
        run=report.run.name,
        path=report.run.sources[0].path if report.run.sources else report.run.path,
        status=report.status,
        headline=report.headline,
        checks=tuple(with_lines(checks, run)),
        causes=_causes(report, checks),
        allow_unknown=settings.allow_unknown,
        sources=tuple(source.path for source in report.run.sources),
    )


def accepted(verdict: Verdict) -> Verdict:
    """Return the verdict as it is once its findings stand in a baseline."""
    checks = tuple(
        replace(check, outcome=Outcome.KNOWN)
        if check.outcome is Outcome.FAILED and is_finding(check)
        else check
        for check in verdict.checks
    )
    return replace(verdict, checks=checks)


def is_finding(check: Check) -> bool:
    """Return whether a check stands for a finding, which a baseline may hold."""
    return ":" not in check.fingerprint


def _causes(report: Report, checks: list[Check]) -> tuple[str, ...]:
    """Return the rules that explain a finding that failed: nobody asks why an ignored one is."""
    failed = {check.fingerprint for check in checks if check.outcome is Outcome.FAILED}
    ids = {
        finding.id
        for finding in report.findings
        if fingerprint(report.run.name, finding.anomaly) in failed
    }
    return tuple(cause.rule.code for cause in report.causes if ids & set(cause.findings))


def is_selected(label: str, settings: Settings) -> bool:
    """Return whether a label is looked at; a kind stands for its forms, and ignoring wins."""
    kind = label.partition("/")[0]
    chosen = not settings.select or label in settings.select or kind in settings.select
    return chosen and label not in settings.ignore and kind not in settings.ignore


def _severity(anomaly: Anomaly, settings: Settings) -> Severity | None:
    """Return how severe the project takes a finding; None when it is switched off.

    A remark stays one: a benign look-alike is not made a fault by a threshold on its kind.
    """
    if not is_selected(anomaly.label, settings):
        return None
    labels = (anomaly.label, anomaly.kind.value)
    named = next((label for label in labels if label in settings.severity), None)
    if named is None:
        return anomaly.severity
    chosen = settings.severity[named]
    is_remark = anomaly.severity is Severity.INFO
    return anomaly.severity if is_remark and chosen is not None else chosen


def _finding(
    report: Report, finding: Finding, settings: Settings, known: Mapping[str, Entry]
) -> Check | None:
    anomaly = finding.anomaly
    severity = _severity(anomaly, settings)
    if severity is None:
        return None
    name = fingerprint(report.run.name, anomaly)
    outcome = Outcome.FAILED if severity.rank >= settings.fail_on.rank else Outcome.WARNED
    if outcome is Outcome.FAILED and name in known:
        outcome = Outcome.KNOWN
    return Check(
        id=anomaly.label,
        title=finding.title or Text(anomaly.label, anomaly.label),
        outcome=outcome,
        severity=severity,
        message=finding.summary,
        signal=anomaly.signal,
        step=anomaly.start_step,
        fingerprint=name,
        settings=_settings_named(report, finding),
    )


def _settings_named(report: Report, finding: Finding) -> tuple[str, ...]:
    """Return the settings that the fixes of the likeliest cause of a finding would change."""
    cause = next((cause for cause in report.causes if finding.id in cause.findings), None)
    fixes = () if cause is None else cause.rule.fixes
    return tuple(dict.fromkeys(key for fix in fixes for key in fix.settings))


def _clean(checks: list[Check], settings: Settings) -> list[Check]:
    """Return a passed check for each kind without a finding, so that a history has no holes."""
    found = {check.id.partition("/")[0] for check in checks}
    return [
        Check(
            id=kind.value,
            title=Text(kind.value, kind.value),
            outcome=Outcome.PASSED,
            severity=Severity.INFO,
            message=NO_FINDING,
            fingerprint=kind.value,
        )
        for kind in Kind
        if kind.value not in found
        and is_selected(kind.value, settings)
        and settings.severity.get(kind.value, Severity.INFO) is not None
    ]
