"""Run, anomalies and ranked causes become a Report: texts filled in, numbers computed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final

import numpy as np

from spikedoc.assembly.advice import Advisor
from spikedoc.assembly.charts import charts
from spikedoc.assembly.guards import replay_guards
from spikedoc.assembly.limits import MIN_POINTS, judged_by_reward, judged_by_sides, limits
from spikedoc.assembly.loss_end import loss_end
from spikedoc.assembly.onset import with_first_sign
from spikedoc.assembly.opposed import with_conditions
from spikedoc.assembly.plot import thin_curve
from spikedoc.assembly.rollback import find_rollback, lost_by
from spikedoc.classifier.wording import headline, summarise, title
from spikedoc.model.anomaly import Anomaly
from spikedoc.model.evidence import Evidence, Verdict
from spikedoc.model.knowledge import Action
from spikedoc.model.label import Severity, Status
from spikedoc.model.report import (
    Cause,
    ChecklistItem,
    Finding,
    Report,
    RunFacts,
    Signal,
)
from spikedoc.model.rounded_zero import rounded_zero
from spikedoc.model.run import ConfigValue, Run
from spikedoc.rules.checklist import order_checks
from spikedoc.rules.engine import Ranked, named
from spikedoc.rules.frameworks import recognise, snippet
from spikedoc.rules.gaps import find_gaps
from spikedoc.text import FieldValue, Text
from spikedoc.version import VERSION

NO_CAUSE: Final = Text(
    "Nothing that was logged tells the possible causes apart, so none is named: work through the "
    "checks, and log what is listed as missing next time.",
    "已记录的数据无法区分可能的原因，因此没有指出原因：请按清单逐项排查，并在下次训练时记录所列的缺失量。",
)
# Candidates whose checks and open questions are shown where none can be named.
UNNAMED_ASKED: Final = 4
OTHER_STAGE: Final = Text("Then", "其次")


def assemble(
    run: Run,
    anomalies: Sequence[Anomaly],
    weighed: Sequence[Ranked],
    advisor: Advisor,
    *,
    with_charts: bool = False,
) -> Report:
    """Return the report; `anomalies` are in order of importance, `weighed` all candidate causes.

    Charts are left out unless asked for: most formats draw none.

    Where nothing logged supports any cause, none is named, but what to check and what should have
    been logged come from the candidates all the same.
    """
    ranked = named(weighed)
    asked = ranked or list(weighed)[:UNNAMED_ASKED]
    findings = tuple(
        Finding(finding_id(i), anomaly, summarise(anomaly), title(anomaly))
        for i, anomaly in enumerate(anomalies)
    )
    # Advice starts from the first sign, which another signal may have given.
    signed = [with_first_sign(run, anomaly, anomalies) for anomaly in anomalies]
    lost = lost_by(signed) or _earliest_explained(signed, ranked)
    advisor = replace(advisor, main=signed[0] if signed else None, lost=lost)
    status = judge(run, anomalies)
    words, framework = recognise(run)
    gaps = tuple(replace(gap, log=" ".join(words.logging(gap.signal))) for gap in find_gaps(asked))
    return Report(
        spikedoc_version=VERSION,
        run=_facts(run),
        status=status,
        headline=headline(status, anomalies),
        findings=findings,
        causes=_causes(ranked, signed, advisor),
        checklist=_checklist(signed, asked, advisor, names=bool(ranked)),
        rollback=find_rollback(run, anomalies, advisor),
        gaps=gaps,
        limits=limits(run) if ranked or judge_is_quiet(anomalies) else (NO_CAUSE, *limits(run)),
        notes=tuple(run.notes) + tuple(note for s in run.sources for note in s.notes),
        plot=thin_curve(run, anomalies),
        charts=charts(run, findings) if with_charts else None,
        guards=replay_guards(run, anomalies, [finding.id for finding in findings]),
        framework=framework,
        snippet=snippet(words, gaps, sparse=_is_sparse(run, anomalies)),
    )


def _earliest_explained(signed: Sequence[Anomaly], ranked: Sequence[Ranked]) -> Anomaly | None:
    """Return where the earliest cause acts: advice on a run not lost goes back to before it."""
    explained = [signed[one.anomalies[0]] for one in ranked]
    return min(explained, key=lambda a: a.start_step, default=None)


def _is_sparse(run: Run, anomalies: Sequence[Anomaly]) -> bool:
    """Return whether something was found in a loss of which not every step was logged."""
    loss = run.main_loss
    return loss is not None and loss.stride > 1 and not judge_is_quiet(anomalies)


def finding_id(index: int) -> str:
    """Return the id of the finding at this place in the order of importance: F1, F2 …"""
    return f"F{index + 1}"


def judge_is_quiet(anomalies: Sequence[Anomaly]) -> bool:
    """Return whether no finding asks for an explanation."""
    return all(a.severity is Severity.INFO for a in anomalies)


def judge(run: Run, anomalies: Sequence[Anomaly]) -> Status:
    """Return the worst severity; without one, whether there was enough to judge at all."""
    worst = max((a.severity for a in anomalies), key=lambda s: s.rank, default=Severity.INFO)
    if worst is Severity.CRITICAL:
        return Status.CRITICAL
    if worst is Severity.WARNING:
        return Status.WARNING
    loss = run.main_loss
    judged = judged_by_reward(run) or judged_by_sides(run)
    judged = judged if loss is None else int(loss.is_finite.sum()) >= MIN_POINTS
    judged = judged and rounded_zero(run) is None and loss_end(run) is None
    return Status.HEALTHY if judged else Status.UNKNOWN


def _facts(run: Run) -> RunFacts:
    signals = {
        s.name: Signal(
            s.tag, len(s), int(s.steps[0]), int(s.steps[-1]), s.stride, int(np.sum(~s.is_finite))
        )
        for s in run.series
        if len(s)
    }
    borders = [run.first_step]
    segments = []
    for restart in run.restarts:
        segments.append((borders[-1], restart.last_step))
        borders.append(restart.step)
    segments.append((borders[-1], run.last_step))
    return RunFacts(
        run.name, run.path, run.sources, signals, tuple(segments), run.config, run.checkpoints
    )


def _telling(ranked: Ranked) -> Iterator[Evidence]:
    """Yield the evidence that counts for the rule: an answer of no weight says nothing."""
    for weight, found in zip(ranked.rule.weights, ranked.evidence, strict=True):
        silent = {Verdict.SUPPORTS: weight.supports, Verdict.REFUTES: weight.refutes}
        if found.asked and silent.get(found.verdict, 1):
            yield found


def _causes(
    ranked: Sequence[Ranked], signed: Sequence[Anomaly], advisor: Advisor
) -> tuple[Cause, ...]:
    fixes = agreeing_fixes(ranked, advisor.run.config)
    causes = (_cause(i + 1, r, fixes[i], signed, advisor) for i, r in enumerate(ranked))
    return with_conditions(tuple(causes), fixes)


def is_done(action: Action, config: Mapping[str, ConfigValue]) -> bool:
    """Return whether the run was already set as the action would have it."""
    wanted = action.settings
    return bool(wanted) and all(config.get(name) == value for name, value in wanted.items())


def agreeing_fixes(
    ranked: Sequence[Ranked], config: Mapping[str, ConfigValue]
) -> list[tuple[Action, ...]]:
    """Return the fixes of each cause, without what is done and what undoes a likelier one."""
    settled: dict[str, FieldValue] = {}
    out = []
    for one in ranked:
        kept = [
            fix
            for fix in one.rule.fixes
            if not is_done(fix, config)
            and all(settled.get(name, value) == value for name, value in fix.settings.items())
        ]
        for fix in kept:
            settled |= fix.settings
        out.append(tuple(kept))
    return out


def _cause(
    position: int,
    ranked: Ranked,
    fixes: Sequence[Action],
    signed: Sequence[Anomaly],
    advisor: Advisor,
) -> Cause:
    main = signed[ranked.anomalies[0]]
    return Cause(
        rank=position,
        rule=ranked.rule,
        score=round(ranked.score, 4),
        findings=tuple(finding_id(i) for i in ranked.anomalies),
        evidence=tuple(_telling(ranked)),
        checks=tuple(
            advisor.advice(check, main)
            for check in ranked.rule.checks
            if not is_done(check, advisor.run.config)
        ),
        fixes=tuple(advisor.advice(f, main) for f in fixes),
    )


def _checklist(
    anomalies: Sequence[Anomaly], ranked: Sequence[Ranked], advisor: Advisor, *, names: bool
) -> tuple[ChecklistItem, ...]:
    if not anomalies or not ranked:
        return ()
    main = anomalies[0]
    entries = order_checks(advisor.catalog, main.kind, ranked)
    return tuple(
        ChecklistItem(
            stage.title if stage is not None else OTHER_STAGE,
            advisor.advice(check, main),
            codes if names else (),
        )
        for stage, check, codes in entries
        if not is_done(check, advisor.run.config)
    )
