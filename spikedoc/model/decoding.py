"""From JSON objects to a report: every field checked, every mistake named by its key."""

from __future__ import annotations

import math
from typing import Any

from spikedoc.errors import ReportError
from spikedoc.model._charts_json import charts_from
from spikedoc.model.anomaly import Anomaly, Detection, Shape
from spikedoc.model.evidence import Evidence, Verdict
from spikedoc.model.fields import UNEVEN, Fields
from spikedoc.model.knowledge import Action, Cost, Domain, Rule, Weight
from spikedoc.model.label import Form, Kind, Severity, Status
from spikedoc.model.metric import Metric
from spikedoc.model.report import (
    SCHEMA,
    Advice,
    Cause,
    ChecklistItem,
    Finding,
    Framework,
    Gap,
    GuardReplay,
    Plot,
    Report,
    Rollback,
    RunFacts,
    Signal,
)
from spikedoc.model.run import Checkpoint, Source
from spikedoc.text import Text

NO_TEXT = Text("", "")


def report_from(data: object) -> Report:
    """Return the report described by parsed JSON; raises ReportError naming the faulty key."""
    fields = Fields(data, "")
    schema = fields.string("schema")
    if schema != SCHEMA:
        raise ReportError(
            Text(f"{schema!r} is not {SCHEMA!r}", f"{schema!r} 不是 {SCHEMA!r}"), at="schema"
        )
    return Report(
        spikedoc_version=fields.string("spikedoc"),
        run=_run(fields.object("run")),
        status=fields.enum("status", Status),
        headline=fields.text("headline"),
        findings=fields.items("findings", _finding),
        causes=fields.items("causes", _cause),
        checklist=fields.items("checklist", _checklist_item),
        rollback=fields.optional("rollback", _rollback),
        gaps=fields.items("gaps", _gap),
        limits=fields.items("limits", Fields.as_text),
        notes=_notes(fields),
        plot=fields.optional("plot", _plot),
        guards=fields.items("guards", _guard, required=False),
        framework=fields.optional("framework", _framework),
        snippet=fields.strings("snippet", required=False),
        schema=schema,
        charts=fields.optional("charts", charts_from),
    )


def _run(run: Fields) -> RunFacts:
    return RunFacts(
        name=run.string("name"),
        path=run.string("path"),
        sources=run.items("sources", _source),
        signals=run.mapping("signals", _signal),
        segments=run.items("segments", _segment),
        config=run.values("config", booleans=True),
        checkpoints=run.items("checkpoints", _checkpoint),
    )


def _source(source: Fields) -> Source:
    return Source(
        path=source.string("path"),
        reader=source.string("reader"),
        size=source.integer("bytes"),
        notes=_notes(source),
    )


def _notes(fields: Fields) -> tuple[Text, ...]:
    """The notes; reports of older versions have them in English alone."""
    english = fields.strings("notes")
    chinese = fields.strings("notes_zh", required=False) or english
    if len(chinese) != len(english):
        raise ReportError(Text("not as many as notes", "与 notes 的数目不同"), at="notes_zh")
    return tuple(map(Text, english, chinese))


def _signal(signal: Fields) -> Signal:
    return Signal(
        tag=signal.string("tag"),
        points=signal.integer("points"),
        first_step=signal.integer("first_step"),
        last_step=signal.integer("last_step"),
        stride=signal.number("stride"),
        nonfinite=signal.integer("nonfinite", 0),
    )


def _segment(segment: Fields) -> tuple[int, int]:
    return segment.integer("first_step"), segment.integer("last_step")


def _checkpoint(saved: Fields) -> Checkpoint:
    step = None if saved.is_absent("step") else saved.integer("step")
    return Checkpoint(step=step, path=saved.string("path"))


def _finding(finding: Fields) -> Finding:
    anomaly = Anomaly(
        kind=finding.enum("kind", Kind),
        severity=finding.enum("severity", Severity),
        confidence=finding.number("confidence"),
        signal=finding.string("signal"),
        start_step=finding.integer("start_step"),
        peak_step=finding.integer("peak_step"),
        end_step=finding.integer("end_step"),
        form=None if finding.is_absent("form") else finding.enum("form", Form),
        measures=finding.numbers("measures"),
        detections=finding.items("detections", _detection, required=False),
    )
    title = finding.optional("title", Fields.as_text)
    return Finding(finding.string("id"), anomaly, finding.text("summary"), title)


def _detection(seen: Fields) -> Detection:
    return Detection(
        detector=seen.string("detector"),
        shape=seen.enum("shape", Shape),
        signal=seen.string("signal"),
        first_step=seen.integer("first_step"),
        peak_step=seen.integer("peak_step"),
        last_step=seen.integer("last_step"),
        measures=seen.numbers("measures"),
    )


def _cause(cause: Fields) -> Cause:
    return Cause(
        rank=cause.integer("rank"),
        rule=_rule(cause),
        score=cause.number("score"),
        findings=cause.strings("findings"),
        evidence=cause.items("evidence", _evidence),
        checks=cause.items("checks", _advice),
        fixes=cause.items("fixes", _advice),
    )


def _rule(cause: Fields) -> Rule:
    """Return the rule; a report without its definition still has all that renderers show."""
    name = cause.string("cause")
    body = cause.object("definition", required=False)
    return Rule(
        code=cause.string("rule"),
        slug=body.string("slug", name),
        cause=name,
        domain=cause.enum("domain", Domain),
        priors=body.integers("priors", required=False),
        title=cause.text("title", Text(name, name)),
        why=cause.text("why", NO_TEXT),
        benign_when=cause.text("benign_when", NO_TEXT),
        weights=body.items("weights", _weight, required=False),
        checks=body.items("checks", _action, required=False),
        fixes=body.items("fixes", _action, required=False),
        sources=cause.strings("sources"),
        aliases=body.strings("aliases", required=False),
        example=body.string("example", ""),
    )


def _weight(weight: Fields) -> Weight:
    return Weight(weight.string("probe"), weight.integer("supports"), weight.integer("refutes"))


def _cost(fields: Fields) -> Cost | None:
    return None if fields.is_absent("cost") else fields.enum("cost", Cost)


def _action(action: Fields) -> Action:
    unmeasured = None if action.is_absent("unmeasured") else action.text("unmeasured")
    return Action(
        id=action.string("id"),
        text=action.text("text"),
        unmeasured=unmeasured,
        cost=_cost(action),
        figures=action.strings("figures"),
        settings=action.values("settings", booleans=True, required=False),
    )


def _evidence(evidence: Fields) -> Evidence:
    missing = evidence.strings("missing", required=False)
    return Evidence(
        probe=evidence.string("probe"),
        verdict=evidence.enum("verdict", Verdict),
        statement=evidence.text("statement"),
        values=evidence.values("values"),
        missing=tuple(_metric(name, evidence.where) for name in missing),
        missing_config=evidence.strings("missing_config", required=False),
    )


def _metric(name: str, where: str) -> Metric:
    try:
        return Metric(name)
    except ValueError:
        told = Text(f"{name!r} is not a known series", f"{name!r} 不是已知的曲线")
        raise ReportError(told, at=f"{where}.missing") from None


def _advice(advice: Fields) -> Advice:
    values: dict[str, Any] = advice.values("values", required=False)
    settings = advice.strings("settings", required=False)
    return Advice(advice.string("id"), advice.text("text"), values, _cost(advice), settings)


def _checklist_item(item: Fields) -> ChecklistItem:
    return ChecklistItem(item.text("stage"), _advice(item.object("check")), item.strings("causes"))


def _rollback(rollback: Fields) -> Rollback:
    return Rollback(
        step=rollback.integer("step"),
        checkpoint=None if rollback.is_absent("checkpoint") else rollback.string("checkpoint"),
        reason=rollback.text("reason"),
        wasted_steps=rollback.integer("wasted_steps"),
        wasted_seconds=_seconds(rollback, "wasted_seconds"),
        sign_step=_integer(rollback, "sign_step"),
        sign_signal=None if rollback.is_absent("sign_signal") else rollback.string("sign_signal"),
        lost_step=_integer(rollback, "lost_step"),
        lost_steps=_integer(rollback, "lost_steps"),
        lost_seconds=_seconds(rollback, "lost_seconds"),
    )


def _seconds(fields: Fields, key: str) -> float | None:
    return None if fields.is_absent(key) else fields.number(key)


def _integer(fields: Fields, key: str) -> int | None:
    return None if fields.is_absent(key) else fields.integer(key)


def _guard(guard: Fields) -> GuardReplay:
    return GuardReplay(
        id=guard.string("id"),
        title=guard.text("title"),
        finding=guard.string("finding"),
        signals=guard.strings("signals"),
        first_step=_integer(guard, "first_step"),
        false_alarms=guard.integer("false_alarms"),
        steps_before_finding=_integer(guard, "steps_before_finding"),
        steps_before_end=_integer(guard, "steps_before_end"),
        statement=guard.text("statement"),
    )


def _framework(framework: Fields) -> Framework:
    return Framework(
        framework.string("id"), framework.string("name"), framework.boolean("recognised")
    )


def _gap(gap: Fields) -> Gap:
    return Gap(gap.string("signal"), gap.text("would_tell"), gap.string("log", ""))


def _plot(plot: Fields) -> Plot:
    steps, values = plot.number_list("steps"), plot.number_list("values")
    if len(steps) != len(values):
        raise ReportError(UNEVEN, at=plot.where)
    if not all(math.isfinite(step) for step in steps):
        raise ReportError(
            Text("expected finite numbers", "应为有限的数字"), at=f"{plot.where}.steps"
        )
    return Plot(plot.string("signal"), steps, values, plot.boolean("log"))
