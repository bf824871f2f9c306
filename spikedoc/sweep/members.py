"""How each run of a sweep ended, first by its own report, then against the best of its group."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import median
from typing import Final

from spikedoc.model.label import Form, Kind, Severity, Status
from spikedoc.model.report import Finding, Report
from spikedoc.model.run import ConfigValue, Run, Series
from spikedoc.sweep.levels import Level, Noise, level_at, noise_of
from spikedoc.sweep.result import Member, Outcome, Setting, Value
from spikedoc.sweep.setting import number
from spikedoc.text import Text

# What breaks a run, what leaves it where it began, and what shakes it.
BREAKS: Final = frozenset({Kind.DIVERGENCE, Kind.GRADIENT_EXPLOSION})
LASTING: Final = frozenset({Form.PERSISTENT, Form.FROM_START, Form.MASKED})
STUCK_FORMS: Final = frozenset({Form.FLAT, Form.CONSTANT_ZERO})
SHAKES: Final = frozenset(
    {
        Kind.ISOLATED_SPIKE,
        Kind.SLOW_RECOVERY,
        Kind.SUSTAINED_DRIFT,
        Kind.PERIODIC_SPIKES,
        Kind.OSCILLATION,
        Kind.GRADIENT_RAMP,
        Kind.UPDATE_SPIKE,
        Kind.LOSS_SCALE_COLLAPSE,
        Kind.NONFINITE,
        Kind.LEVEL_SHIFT,
        Kind.SUSTAINED_DRIFT,
    }
)
# Steady for at least half of the steps before trouble begins: late.
LATE_SHARE: Final = 0.5
# A run that stopped before half of the usual length says nothing about the end of training.
SHORT_SHARE: Final = 0.5
# Worst first; a value is called by the worst of its runs.
ORDER: Final = (
    Outcome.DIVERGING,
    Outcome.STUCK,
    Outcome.UNSTABLE,
    Outcome.UNSTABLE_LATE,
    Outcome.TOO_SLOW,
    Outcome.WORSE,
    Outcome.STEADY,
    Outcome.UNKNOWN,
)
# Ended as training should; how low is another matter.
SOUND: Final = frozenset({Outcome.STEADY, Outcome.TOO_SLOW, Outcome.WORSE})
# Did not come to an end that can be compared.
BROKEN: Final = frozenset({Outcome.DIVERGING, Outcome.STUCK})


@dataclass(frozen=True, slots=True)
class Entry:
    """A run with its report, its value of the swept setting and its seed."""

    run: Run
    report: Report
    value: ConfigValue
    seed: ConfigValue | None = None


def own_outcome(run: Run, report: Report, places: Sequence[int] = ()) -> Member:
    """Return the run as its report alone describes it, without value and level.

    Spikes at `places` are those of several runs at once: they are no sign of this one's settings.
    """
    loss = run.main_loss
    last = run.last_step if loss is None or not len(loss) else int(loss.steps[-1])
    worst, cause = Outcome.STEADY, None
    if report.status is Status.UNKNOWN or loss is None:
        worst = Outcome.UNKNOWN
    for finding in report.findings:
        outcome = _outcome_of(finding, run, places)
        if outcome is not None and ORDER.index(outcome) < ORDER.index(worst):
            worst, cause = outcome, finding
    labels = tuple(dict.fromkeys(finding.anomaly.label for finding in report.findings))
    return Member(
        name=run.name,
        path=run.path,
        value="",
        seed=None,
        status=report.status,
        outcome=worst,
        since=None if cause is None else cause.anomaly.start_step,
        last_step=last,
        labels=labels,
        remark=None if cause is None else _remark(cause),
    )


def _outcome_of(finding: Finding, run: Run, places: Sequence[int]) -> Outcome | None:
    anomaly = finding.anomaly
    lasts = anomaly.kind is Kind.NONFINITE and anomaly.form in LASTING
    if anomaly.kind in BREAKS or lasts:
        return Outcome.DIVERGING
    if anomaly.severity is Severity.INFO:
        return None
    if anomaly.kind is Kind.NON_CONVERGENCE and anomaly.form in STUCK_FORMS:
        return Outcome.STUCK
    falls = anomaly.kind is Kind.LEVEL_SHIFT and anomaly.form is Form.DOWN
    if anomaly.kind not in SHAKES or falls or anomaly.peak_step in places:
        return None
    length = run.last_step - run.first_step
    late = anomaly.start_step - run.first_step >= LATE_SHARE * length
    return Outcome.UNSTABLE_LATE if late else Outcome.UNSTABLE


def _remark(finding: Finding) -> Text:
    title = finding.title or Text(finding.anomaly.label, finding.anomaly.label)
    step = finding.anomaly.start_step
    return Text(f"{title.en}, from step {step}", f"{title.zh}，从第 {step} 步起")


@dataclass(frozen=True, slots=True)
class Judged:
    """The values of a group in order, with what they were judged by."""

    values: tuple[Value, ...]
    levels: Mapping[int, Sequence[Level]]  # place in `values` → levels of its sound runs
    noise: Noise
    step: int
    signal: str
    short: tuple[str, ...] = ()  # names of runs that ended too early to be compared
    apart: tuple[str, ...] = ()  # … of those that have hardly a loss up to the common step

    def tied(self) -> list[int]:
        """Return the places of sound values that are not worse than the best beyond chance."""
        best = self.best
        if best is None:
            return []
        mine = self.levels[best]
        return [
            place
            for place in self.levels
            if place == best or not self.noise.is_worse(self.levels[place], mine)
        ]

    @property
    def best(self) -> int | None:
        """Return the place of the value with the lowest loss, None when none can be compared."""
        if not self.levels:
            return None
        return min(
            self.levels, key=lambda at: self.noise.mean([one.value for one in self.levels[at]])
        )


def judge(
    entries: Sequence[Entry],
    setting: Setting,
    places: Mapping[str, Sequence[int]],
    *,
    against_best: bool = True,
) -> Judged:
    """Return the runs of one sweep by value, each labelled.

    `places` are spikes shared with other runs, by name. Not `against_best`: runs that differ in
    more than one thing are labelled by their own reports only.
    """
    members = [
        replace(
            own_outcome(one.run, one.report, places.get(one.run.name, ())),
            value=one.value,
            seed=one.seed,
        )
        for one in entries
    ]
    members, short = _without_short(members)
    compared = [m.last_step for m in members if m.outcome not in (*BROKEN, Outcome.UNKNOWN)]
    step = min(compared, default=max((m.last_step for m in members), default=0))
    losses = [one.run.main_loss for one in entries]
    levels = [None if loss is None else level_at(loss, step) for loss in losses]
    members = [_with_level(m, level) for m, level in zip(members, levels, strict=True)]
    apart = tuple(sorted(m.name for m in members if m.outcome in SOUND and m.level is None))
    members = [
        replace(m, outcome=Outcome.UNKNOWN) if m.outcome in SOUND and m.level is None else m
        for m in members
    ]
    pooled: dict[ConfigValue, list[int]] = {}
    for at, member in enumerate(members):
        pooled.setdefault(member.value, []).append(at)
    order = sorted(pooled, key=_rank)
    sound = {
        place: [levels[at] for at in pooled[value] if _is_compared(members[at])]
        for place, value in enumerate(order)
    }
    known = {p: [one for one in found if one is not None] for p, found in sound.items()}
    known = {place: found for place, found in known.items() if found}
    noise = noise_of(known.values())
    values = tuple(_pooled(value, [members[at] for at in pooled[value]], noise) for value in order)
    judged = Judged(values, known, noise, step, _signal(losses), short, apart)
    return replace(judged, values=_against_best(judged, setting)) if against_best else judged


def _signal(losses: Sequence[Series | None]) -> str:
    return next((loss.name for loss in losses if loss is not None), "loss")


def _rank(value: ConfigValue) -> tuple[int, float, str]:
    found = number(value)
    return (1, 0.0, str(value)) if found is None else (0, found, "")


def _without_short(members: Sequence[Member]) -> tuple[list[Member], tuple[str, ...]]:
    """Sound runs that ended long before the others are not judged."""
    lengths = [m.last_step for m in members if m.outcome in SOUND]
    usual = median(lengths) if lengths else 0
    short = {m.name for m in members if m.outcome in SOUND and m.last_step < SHORT_SHARE * usual}
    changed = [
        replace(m, outcome=Outcome.UNKNOWN) if m.name in short and m.outcome in SOUND else m
        for m in members
    ]
    return changed, tuple(sorted(short))


def _with_level(member: Member, level: Level | None) -> Member:
    if level is None:
        return member
    return replace(member, level=level.value, error=level.error)


def _is_compared(member: Member) -> bool:
    return member.outcome not in (*BROKEN, Outcome.UNKNOWN)


def _pooled(value: ConfigValue, members: Sequence[Member], noise: Noise) -> Value:
    outcome = min((m.outcome for m in members), key=ORDER.index)
    found = [m.level for m in members if m.level is not None and m.outcome not in BROKEN]
    if not found:
        return Value(value, outcome, tuple(members))
    can = noise if not noise.log or min(found) > 0 else replace(noise, log=False)
    return Value(value, outcome, tuple(members), can.mean(found), min(found), max(found))


def _against_best(judged: Judged, setting: Setting) -> tuple[Value, ...]:
    """Mark the steady values that lie above the best beyond chance."""
    best, tied = judged.best, judged.tied()
    if best is None:
        return judged.values
    top = number(judged.values[best].value)
    changed = []
    for place, value in enumerate(judged.values):
        own = number(value.value)
        if place not in judged.levels or place in tied or value.outcome is not Outcome.STEADY:
            changed.append(value)
            continue
        below = setting.is_rate and own is not None and top is not None and own < top
        outcome = Outcome.TOO_SLOW if below else Outcome.WORSE
        members = tuple(
            replace(m, outcome=outcome) if m.outcome is Outcome.STEADY else m for m in value.members
        )
        changed.append(replace(value, outcome=outcome, members=members))
    return tuple(changed)
