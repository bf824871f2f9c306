"""The findings of one run, in the few words that a comparison has room for."""

from __future__ import annotations

from typing import Final

from spikedoc.comparison.result import Event, RunSummary
from spikedoc.model.anomaly import Anomaly
from spikedoc.model.label import Kind, Status
from spikedoc.model.report import Finding, Report
from spikedoc.model.run import Run
from spikedoc.text import Text

# Findings told of each run.
MOST: Final = 5
PEAKED: Final = frozenset({Kind.ISOLATED_SPIKE, Kind.SLOW_RECOVERY})
# … and kinds of findings that happen at a step.
BREAKS: Final = frozenset({Kind.LEVEL_SHIFT, Kind.SUSTAINED_DRIFT, Kind.DIVERGENCE, Kind.NONFINITE})
LATER: Final = frozenset({Kind.GRADIENT_EXPLOSION, Kind.UPDATE_SPIKE, Kind.METRIC_DAMAGE})
SUDDEN: Final = PEAKED | BREAKS | LATER


def summary(run: Run, report: Report, *, is_stretch: bool) -> RunSummary:
    """Return what a comparison says about one of its runs.

    Of a stretch only what happens at a step is told: it cannot be judged by a start it has not.
    """
    loss = run.main_loss
    findings = report.findings
    if is_stretch:
        findings = tuple(one for one in findings if one.anomaly.kind in SUDDEN)
    return RunSummary(
        name=run.name,
        path=run.path,
        status=Status.UNKNOWN if is_stretch else report.status,
        first_step=run.first_step,
        last_step=run.last_step,
        points=0 if loss is None else len(loss),
        settings=len(run.config),
        is_stretch=is_stretch,
        events=tuple(event(finding) for finding in findings[:MOST]),
    )


def event(finding: Finding) -> Event:
    """Return a finding as an event."""
    anomaly = finding.anomaly
    return Event(
        anomaly.label, anomaly.signal, step_told(anomaly), anomaly.severity.value, finding.summary
    )


def step_told(anomaly: Anomaly) -> int:
    """Return the step an event is known by: the peak of a spike, else its start."""
    return anomaly.peak_step if anomaly.kind in PEAKED else anomaly.start_step


def described(finding: Finding) -> Text:
    """Return what an event is, to stand inside a sentence."""
    title = finding.title
    if title is None:
        return Text(finding.anomaly.label, finding.anomaly.label)
    first = title.en.partition(" ")[0]  # "NaN" stays as it is
    en = f"{title.en[:1].lower()}{title.en[1:]}" if first[1:].islower() else title.en
    return Text(en, title.zh)
