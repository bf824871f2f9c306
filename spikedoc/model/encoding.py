"""From a report to JSON objects: plain dicts, lists, strings, numbers."""

from __future__ import annotations

import math
import numbers
from collections.abc import Iterable, Mapping
from typing import Any

from spikedoc.model._charts_json import charts_json
from spikedoc.model.evidence import Evidence
from spikedoc.model.knowledge import Action, Rule
from spikedoc.model.report import (
    Advice,
    Cause,
    ChecklistItem,
    Finding,
    Framework,
    GuardReplay,
    Plot,
    Report,
    Rollback,
    RunFacts,
)
from spikedoc.text import Text

Json = dict[str, Any]


def encode(report: Report) -> Json:
    """Return the report as JSON-ready dicts, lists, strings, finite numbers, booleans and None."""
    return {
        "schema": report.schema,
        "spikedoc": report.spikedoc_version,
        "run": _run(report.run),
        "status": report.status.value,
        "headline": _text(report.headline),
        "findings": [_finding(finding) for finding in report.findings],
        "causes": [_cause(cause) for cause in report.causes],
        "checklist": [_checklist_item(item) for item in report.checklist],
        "rollback": _rollback(report.rollback) if report.rollback else None,
        "gaps": [
            {"signal": gap.signal, "would_tell": _text(gap.would_tell), "log": gap.log}
            for gap in report.gaps
        ],
        "limits": [_text(limit) for limit in report.limits],
        **_notes(report.notes),
        "plot": _plot(report.plot) if report.plot else None,
        "guards": [_guard(guard) for guard in report.guards],
        "framework": _framework(report.framework) if report.framework else None,
        "snippet": list(report.snippet),
        "charts": charts_json(report.charts) if report.charts else None,
    }


def _text(text: Text) -> Json:
    return {"en": text.en, "zh": text.zh}


def _notes(notes: Iterable[Text]) -> Json:
    """Both languages side by side; `notes` alone is what older readers of a report know."""
    told = list(notes)
    return {"notes": [note.en for note in told], "notes_zh": [note.zh for note in told]}


def _value(value: object) -> bool | float | int | str:
    """Return a plain Python value; numpy scalars and other numbers are converted."""
    if isinstance(value, bool | str):
        return value
    if isinstance(value, numbers.Integral):
        return int(value)
    if isinstance(value, numbers.Real):
        number = float(value)
        return number if math.isfinite(number) else str(number)
    if type(value).__name__ == "bool" and hasattr(value, "item"):  # numpy's own boolean
        return bool(value)
    raise TypeError(f"{type(value).__name__} cannot be part of a report")


def _number(value: float) -> float | int | str:
    return _value(float(value))


def _numbers(values: Iterable[float]) -> list[float | str]:
    found = list(map(float, values))
    if all(map(math.isfinite, found)):
        return list(found)
    return [number if math.isfinite(number) else str(number) for number in found]


def _values(values: Mapping[str, Any]) -> Json:
    return {key: _value(value) for key, value in values.items()}


def _run(run: RunFacts) -> Json:
    return {
        "name": run.name,
        "path": run.path,
        "sources": [
            {
                "path": source.path,
                "reader": source.reader,
                "bytes": int(source.size),
                **_notes(source.notes),
            }
            for source in run.sources
        ],
        "signals": {
            name: {
                "tag": signal.tag,
                "points": int(signal.points),
                "first_step": int(signal.first_step),
                "last_step": int(signal.last_step),
                "stride": _number(signal.stride),
                "nonfinite": int(signal.nonfinite),
            }
            for name, signal in run.signals.items()
        },
        "segments": [
            {"first_step": int(first), "last_step": int(last)} for first, last in run.segments
        ],
        "config": _values(run.config),
        "checkpoints": [
            {"step": None if saved.step is None else int(saved.step), "path": saved.path}
            for saved in run.checkpoints
        ],
    }


def _finding(finding: Finding) -> Json:
    anomaly = finding.anomaly
    return {
        "id": finding.id,
        "kind": anomaly.kind.value,
        "form": anomaly.form.value if anomaly.form else None,
        "severity": anomaly.severity.value,
        "confidence": _number(anomaly.confidence),
        "signal": anomaly.signal,
        "start_step": int(anomaly.start_step),
        "peak_step": int(anomaly.peak_step),
        "end_step": int(anomaly.end_step),
        "measures": {name: _number(value) for name, value in anomaly.measures.items()},
        "summary": _text(finding.summary),
        "title": _text(finding.title) if finding.title else None,
        "detections": [
            {
                "detector": seen.detector,
                "shape": seen.shape.value,
                "signal": seen.signal,
                "first_step": int(seen.first_step),
                "peak_step": int(seen.peak_step),
                "last_step": int(seen.last_step),
                "measures": {name: _number(value) for name, value in seen.measures.items()},
            }
            for seen in anomaly.detections
        ],
    }


def _evidence(evidence: Evidence) -> Json:
    return {
        "probe": evidence.probe,
        "verdict": evidence.verdict.value,
        "statement": _text(evidence.statement),
        "values": _values(evidence.values),
        "missing": [metric.value for metric in evidence.missing],
        "missing_config": list(evidence.missing_config),
    }


def _advice(advice: Advice) -> Json:
    return {
        "id": advice.id,
        "cost": advice.cost.value if advice.cost else None,
        "text": _text(advice.text),
        "values": _values(advice.values),
        "settings": list(advice.settings),
    }


def _cause(cause: Cause) -> Json:
    rule = cause.rule
    return {
        "rank": int(cause.rank),
        "cause": rule.cause,
        "rule": rule.code,
        "domain": rule.domain.value,
        "score": _number(cause.score),
        "findings": list(cause.findings),
        "title": _text(rule.title),
        "why": _text(rule.why),
        "benign_when": _text(rule.benign_when),
        "evidence": [_evidence(evidence) for evidence in cause.evidence],
        "checks": [_advice(check) for check in cause.checks],
        "fixes": [_advice(fix) for fix in cause.fixes],
        "sources": list(rule.sources),
        "definition": _definition(rule),
    }


def _definition(rule: Rule) -> Json:
    """Return the rest of the rule, so that a saved report tells how the score came about."""
    return {
        "slug": rule.slug,
        "priors": {label: int(prior) for label, prior in rule.priors.items()},
        "weights": [
            {"probe": weight.probe, "supports": weight.supports, "refutes": weight.refutes}
            for weight in rule.weights
        ],
        "checks": [_action(check) for check in rule.checks],
        "fixes": [_action(fix) for fix in rule.fixes],
        "aliases": list(rule.aliases),
        "example": rule.example,
    }


def _action(action: Action) -> Json:
    return {
        "id": action.id,
        "cost": action.cost.value if action.cost else None,
        "text": _text(action.text),
        "unmeasured": _text(action.unmeasured) if action.unmeasured else None,
        "figures": list(action.figures),
        "settings": _values(action.settings),
    }


def _checklist_item(item: ChecklistItem) -> Json:
    return {
        "stage": _text(item.stage),
        "check": _advice(item.check),
        "causes": list(item.causes),
    }


def _rollback(rollback: Rollback) -> Json:
    seconds, lost = rollback.wasted_seconds, rollback.lost_seconds
    return {
        "step": int(rollback.step),
        "checkpoint": rollback.checkpoint,
        "reason": _text(rollback.reason),
        "wasted_steps": int(rollback.wasted_steps),
        "wasted_seconds": None if seconds is None else _number(seconds),
        "sign_step": _integer(rollback.sign_step),
        "sign_signal": rollback.sign_signal,
        "lost_step": _integer(rollback.lost_step),
        "lost_steps": _integer(rollback.lost_steps),
        "lost_seconds": None if lost is None else _number(lost),
    }


def _guard(guard: GuardReplay) -> Json:
    return {
        "id": guard.id,
        "title": _text(guard.title),
        "finding": guard.finding,
        "signals": list(guard.signals),
        "first_step": _integer(guard.first_step),
        "false_alarms": int(guard.false_alarms),
        "steps_before_finding": _integer(guard.steps_before_finding),
        "steps_before_end": _integer(guard.steps_before_end),
        "statement": _text(guard.statement),
    }


def _framework(framework: Framework) -> Json:
    return {
        "id": framework.id,
        "name": framework.name,
        "recognised": bool(framework.recognised),
    }


def _integer(value: int | None) -> int | None:
    return None if value is None else int(value)


def _plot(plot: Plot) -> Json:
    return {
        "signal": plot.signal,
        "steps": _numbers(plot.steps),
        "values": _numbers(plot.values),
        "log": bool(plot.log),
    }
