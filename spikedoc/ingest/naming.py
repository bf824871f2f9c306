"""Series of a run by role: which one is the loss, and what to call each of them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from spikedoc.errors import UsageError
from spikedoc.ingest.aliases import Role, plain_name, role_of
from spikedoc.ingest.notes import (
    ALL_NAN,
    FIRST_OF_VALIDATION,
    NO_CLEAR_LOSS,
    ONE_OF_MANY,
    ONLY_ONE,
    RUNNING_MEAN,
    SUM,
)
from spikedoc.model.loss_terms import stands_beside
from spikedoc.model.metric import MANY, Metric
from spikedoc.model.run import Series
from spikedoc.readers.base import RawSeries
from spikedoc.text import Text, Values, listed

NO_ROLE: Final = Text("no such role; roles: {roles}", "没有该角色；可用的角色：{roles}")
NO_TAG: Final = Text("the log has no such tag; near: {near}", "日志中没有该名称；相近的有：{near}")
SUM_TAG: Final = "sum of components"
# Among names of one role those with at least this share of the most points are equally dense.
DENSE_SHARE: Final = 0.5
# A component this many times denser than the next one is taken for the loss.
CLEARLY_DENSER: Final = 2.0
# Names that mean one thing in one framework only.
_STEP_TIME: Final = {"time": Metric.STEP_TIME}
_FRAMEWORK_ROLES: Final = {"mmengine": _STEP_TIME, "detectron2": _STEP_TIME}
# Boosting prints one error per data set and metric, the objective's own first; others are scores.
_BOOSTING: Final = re.compile(
    r"(?:(?P<train>train(?:ing(?:'s)?)?|learn|validation 0)|(?:eval|test|val|valid|validation)\w*"
    r"(?: \d{1,3})?(?:'s)?)"
    r"(?: (?!.*\b(?:auc|aucpr|acc|accuracy|ndcg|map|f1|precision|recall|r2)\b).+)?",
    re.IGNORECASE,
)
# The terms whose sum is the loss of detection models that log no total.
_DETECTION_TERMS: Final = frozenset({"box loss", "cls loss", "dfl loss", "obj loss"})
_VAL_WORDS: Final = re.compile(
    r"\b(?:val|valid|validation|eval|evaluation|dev|test|loss|losses|train)\b"
)
NEAR_NAMES: Final = 5
# One of these that is NaN throughout was never filled in when another one holds numbers.
_LOSSES: Final = (Metric.LOSS, Metric.VAL_LOSS)
_TERMS: Final = (Metric.LOSS_COMPONENT, Metric.VAL_LOSS_COMPONENT)
_RUNNING_MEAN: Final = re.compile(
    r".*\b(?:<m> loss|loss <m>)".replace("<m>", "(?:running|smooth|smoothed|ema|tot|avg|average)")
)


@dataclass(frozen=True, slots=True, eq=False)
class Candidate:
    """A cleaned series and the file it came from, with the role its name gives it."""

    raw: RawSeries
    source: str
    role: Role

    @property
    def size(self) -> int:
        """Number of points."""
        return int(self.raw.steps.size)


def candidates(series: Iterable[RawSeries], source: str, framework: str) -> list[Candidate]:
    """Return the series with their roles."""
    own = _FRAMEWORK_ROLES.get(framework, {})
    found = []
    for one in series:
        role = Role(own[one.tag]) if one.tag in own else role_of(one.tag)
        role = (_boosting_role(one.tag) or role) if framework == "boosting" else role
        found.append(Candidate(one, source, role))
    return found


def _boosting_role(tag: str) -> Role | None:
    match = _BOOSTING.fullmatch(plain_name(tag))
    return match and Role(Metric.LOSS if match.group("train") else Metric.VAL_LOSS)


def check_mapping(mapping: Mapping[str, str], tags: Sequence[str]) -> None:
    """Raise UsageError for an unknown role, or a tag that no file has (with the nearest names)."""
    known = [metric.value for metric in Metric]
    for role, tag in mapping.items():
        if role not in known:
            raise UsageError(NO_ROLE.fill({"roles": listed(known)}), at=f"--map {role}={tag}")
        if _lookup(tag, tags) is None:
            raise unknown_tag(role, tag, tags)


def unknown_tag(role: str, tag: str, tags: Sequence[str]) -> UsageError:
    """Return the error for a tag that no file has, which names the nearest ones."""
    import difflib  # only to help after a mistake

    near = difflib.get_close_matches(tag, tags, NEAR_NAMES, cutoff=0.3) or sorted(tags)
    told = NO_TAG.fill({"near": listed(near[:NEAR_NAMES])})
    return UsageError(told, at=f"--map {role}={tag}")


def _lookup(tag: str, tags: Iterable[str]) -> str | None:
    by_plain = {plain_name(name): name for name in tags}
    return tag if tag in by_plain.values() else by_plain.get(plain_name(tag))


def name_series(
    found: Sequence[Candidate], mapping: Mapping[str, str]
) -> tuple[tuple[Series, ...], tuple[Text, ...]]:
    """Return the run's series, each role held by one of them where a run has only one."""
    notes: list[Text] = []
    chosen = _with_mapping(list(found), mapping)
    chosen = _one_per_role(chosen, notes)
    chosen = _with_losses(chosen, notes)
    notes.extend(_smoothed(chosen))
    ordered = sorted(chosen, key=lambda c: (list(Metric).index(c.role.metric), c.role.rank or 0))
    names: set[str] = set()
    return tuple(_series(candidate, names) for candidate in ordered), tuple(notes)


def _smoothed(chosen: Sequence[Candidate]) -> list[Text]:
    """A note on a training loss whose name says that it is a running mean."""
    return [
        RUNNING_MEAN.fill({"tag": one.raw.tag})
        for one in chosen
        if one.role.metric is Metric.LOSS and _RUNNING_MEAN.fullmatch(plain_name(one.raw.tag))
    ]


def _with_mapping(found: list[Candidate], mapping: Mapping[str, str]) -> list[Candidate]:
    for role, tag in mapping.items():
        metric, name = Metric(role), _lookup(tag, [c.raw.tag for c in found])
        if name is None:
            continue
        for index, candidate in enumerate(found):
            if candidate.raw.tag == name:
                found[index] = replace(candidate, role=Role(metric, preference=-1))
            elif (
                candidate.role.metric is metric
                and metric not in MANY
                and candidate.role.rank is None
            ):
                found[index] = _as_other(candidate)
    return found


def _as_other(candidate: Candidate) -> Candidate:
    return replace(candidate, role=Role(Metric.OTHER))


def _one_per_role(found: Sequence[Candidate], notes: list[Text]) -> list[Candidate]:
    """Keep the best candidate of each role that a run has once; the others become OTHER."""
    groups: dict[tuple[Metric, int | None], list[Candidate]] = {}
    result: list[Candidate] = []
    for candidate in found:
        if candidate.role.metric in MANY:
            result.append(candidate)
        else:
            groups.setdefault((candidate.role.metric, candidate.role.rank), []).append(candidate)
    for (metric, _), group in groups.items():
        best = _best(metric, group)
        result.append(best)
        others = [candidate for candidate in group if candidate is not best]
        result.extend(_runner_up(candidate, best) for candidate in others)
        if others and metric in (*_LOSSES, Metric.GRAD_NORM, Metric.LR):
            notes.append(_chosen_from(metric, best, others))
    return result


def _runner_up(candidate: Candidate, best: Candidate) -> Candidate:
    """Beside a norm that says it is taken before clipping, the plain one is taken after it."""
    before_clipping = best.role.metric is Metric.GRAD_NORM and best.role.preference == 0
    if before_clipping and candidate.role.preference == 1:
        return replace(candidate, role=Role(Metric.GRAD_NORM_CLIPPED))
    return _as_other(candidate)


def _best(metric: Metric, group: Sequence[Candidate]) -> Candidate:
    if metric in _LOSSES:
        group = [c for c in group if not _is_nan(c)] or group
    most = max(candidate.size for candidate in group)
    any_size = metric is Metric.REWARD  # means over episodes are rarer than these, and tell more
    dense = [c for c in group if any_size or c.size >= DENSE_SHARE * most]
    if metric is Metric.LR and len(dense) > 1:
        return _usual_group(dense)
    return min(dense, key=lambda c: (c.role.coarse, c.role.preference, -c.size))


def _is_nan(candidate: Candidate) -> bool:
    return bool(np.all(np.isnan(candidate.raw.values)))


def _chosen_from(metric: Metric, best: Candidate, others: Sequence[Candidate]) -> Text:
    told = [_described(candidate) for candidate in others[:NEAR_NAMES]]
    both = Text(", ".join(one.en for one in told), "、".join(one.zh for one in told))
    return ONE_OF_MANY.fill({"metric": metric.value, "tag": best.raw.tag, "others": both})


def _described(candidate: Candidate) -> Text:
    tag = candidate.raw.tag
    return ALL_NAN.fill({"tag": tag}) if _is_nan(candidate) else Text(tag, tag)


def _usual_group(group: Sequence[Candidate]) -> Candidate:
    """The learning rate that most parameter groups share; of equals the first."""

    def same(a: Candidate, b: Candidate) -> bool:
        return np.array_equal(a.raw.values, b.raw.values, equal_nan=True)

    return max(group, key=lambda c: (-c.role.preference, sum(same(c, other) for other in group)))


def _with_losses(found: list[Candidate], notes: list[Text]) -> list[Candidate]:
    """Find or build the training and validation loss where no name says which it is."""
    for metric, terms in zip(_LOSSES, _TERMS, strict=True):
        if any(c.role.metric is metric and c.role.rank is None for c in found):
            continue
        parts = [c for c in found if c.role.metric is terms and c.role.rank is None]
        if sum(_term(c) in _DETECTION_TERMS for c in parts) > 1:
            found.append(_sum(parts, metric))
            tags = listed(c.raw.tag for c in parts)
            notes.append(SUM.fill({"metric": metric.value, "tags": tags}))
        elif metric is Metric.LOSS:
            own = [c for c in parts if not stands_beside(c.raw.tag)]
            found = _promoted(found, own, metric, notes)
        else:
            trained = {_stem(c) for c in found if c.role.metric is Metric.LOSS_COMPONENT}
            apart = [c for c in parts if _stem(c) not in trained]
            found = _promoted(found, apart, metric, notes) if apart else found
    return found


def _term(candidate: Candidate) -> str:
    return " ".join(plain_name(candidate.raw.tag).split()[1:])


def _stem(candidate: Candidate) -> str:
    return " ".join(_VAL_WORDS.sub(" ", plain_name(candidate.raw.tag)).split())


def _promoted(
    found: list[Candidate], parts: Sequence[Candidate], metric: Metric, notes: list[Text]
) -> list[Candidate]:
    """Take the only, or the clearly densest, loss-like series for the loss; else say why not."""
    ordered = sorted(parts, key=lambda c: -c.size)
    if not ordered:
        return found
    if len(ordered) == 1 or ordered[0].size >= CLEARLY_DENSER * ordered[1].size:
        best = ordered[0]
        notes.append(ONLY_ONE.fill({"metric": metric.value, "tag": best.raw.tag}))
        return [replace(c, role=Role(metric)) if c is best else c for c in found]
    if metric is Metric.VAL_LOSS:
        best = min(ordered, key=lambda c: c.raw.tag)
        told: Values = {"metric": metric.value, "tag": best.raw.tag, "count": len(ordered)}
        notes.append(FIRST_OF_VALIDATION.fill(told))
        return [replace(c, role=Role(metric)) if c is best else c for c in found]
    tags = listed(c.raw.tag for c in ordered[:NEAR_NAMES])
    notes.append(NO_CLEAR_LOSS.fill({"tags": tags}))
    return found


def _sum(parts: Sequence[Candidate], metric: Metric) -> Candidate:
    steps = parts[0].raw.steps
    for part in parts[1:]:
        steps = np.intersect1d(steps, part.raw.steps)
    rows = [np.searchsorted(part.raw.steps, steps) for part in parts]
    values = np.sum([p.raw.values[r] for p, r in zip(parts, rows, strict=True)], axis=0)
    walls = parts[0].raw.wall_times
    raw = RawSeries(SUM_TAG, steps, values, None if walls is None else walls[rows[0]])
    return Candidate(raw, parts[0].source, Role(metric))


def _series(candidate: Candidate, names: set[str]) -> Series:
    metric, rank, raw = candidate.role.metric, candidate.role.rank, candidate.raw
    name = metric.value
    if metric in MANY:
        name = f"{metric.value}:{raw.tag}"
    elif rank is not None:
        name = f"{metric.value}_rank{rank}"
    unique, count = name, 2
    while unique in names:
        unique, count = f"{name}#{count}", count + 1
    names.add(unique)
    return Series(
        metric=metric,
        name=unique,
        tag=raw.tag,
        steps=np.ascontiguousarray(raw.steps, dtype=np.int64),
        values=np.ascontiguousarray(raw.values, dtype=np.float64),
        wall_times=raw.wall_times,
        rank=rank if metric is not Metric.OTHER else None,
        source=candidate.source,
    )
