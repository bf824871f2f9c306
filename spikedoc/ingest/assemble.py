"""Tables of one folder to runs: sources side by side, attempts one after the other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from spikedoc.ingest.aliases import plain_name, role_of
from spikedoc.ingest.epoch_axis import on_one_axis
from spikedoc.ingest.merge import Attempt, attempts
from spikedoc.ingest.naming import Candidate, candidates, name_series
from spikedoc.ingest.newest_first import oldest_first
from spikedoc.ingest.table_of_runs import without_course
from spikedoc.ingest.trainings import trainings
from spikedoc.ingest.unprefixed import with_returns, with_scores, with_validated
from spikedoc.model.metric import MANY, Metric
from spikedoc.model.run import FloatArray, Run
from spikedoc.readers.base import RawSeries, Table
from spikedoc.text import Text

Named = tuple[str, Table]  # source path, what it holds
# Losses of two sources are the same data when this share of the shared steps agrees …
SAME_SHARE: Final = 0.9
# … to within float32 and four printed decimals.
SAME_TOLERANCE: Final = 1e-3
SAME_ROUNDING: Final = 6e-5
# … and at none one is half as large again, beyond what two decimals hide, or not finite where the
# other is: what two loggers make of one number is never that far apart, but one of two runs of the
# same seed may break.
APART: Final = 0.5
APART_ROUNDING: Final = 0.01
LEAST_SHARED: Final = 3
# A set of its own beside the one for validation, which has many names: val, eval, dev.
_TEST_WORDS: Final = frozenset({"test", "testing"})


@dataclass(slots=True)
class Stream:
    """Files that were written one after the other by one writer."""

    source: str
    framework: str
    attempts: list[Attempt]
    files: list[str] = field(default_factory=list)


def assemble(
    tables: Sequence[Named], name: str, path: str, mapping: Mapping[str, str]
) -> list[Run]:
    """Return the runs in the tables of one folder: one, or one per attempt called `name#1` ….

    Each table is a stream of its own; `chained` makes one of several.
    """
    streams = [chained([table]) for table in tables]
    return assemble_streams(streams, name, path, mapping)


ATTEMPT: Final = Text(
    "the step counter started again: attempt {number} of {count}",
    "步数计数器重新开始：第 {number} 次尝试，共 {count} 次",
)
SEVERAL_FILES: Final = Text(
    "the loss is in several files; taken from {source}", "loss 出现在多个文件中，取自 {source}"
)


def chained(tables: Sequence[Named]) -> Stream:
    """Return the stream of tables written one after the other."""
    framework = next((table.framework for _, table in tables if table.framework), "")
    names = [source for source, _ in tables]
    found: list[Attempt] = []
    for parts in trainings(tables):
        turned = [oldest_first(series) for _, series in parts]
        notes = tuple(dict.fromkeys(note for _, said in turned for note in said))
        own = attempts([series for series, _ in turned], [source for source, _ in parts])
        found.extend(replace(one, notes=(*notes, *one.notes)) if notes else one for one in own)
    return Stream(tables[0][0], framework, found, names)


def assemble_streams(
    streams: Sequence[Stream], name: str, path: str, mapping: Mapping[str, str]
) -> list[Run]:
    """Return one run per attempt; streams with fewer attempts belong to the last one."""
    filled = [stream for stream in streams if stream.attempts]
    if not filled:
        return []
    count = max(len(stream.attempts) for stream in filled)
    runs = []
    for number in range(count):
        parts = []
        for stream in filled:
            place = number - (count - len(stream.attempts))
            if place >= 0:
                parts.append((stream, stream.attempts[place]))
        run = _run(parts, name, path, mapping)
        if count > 1:
            note = ATTEMPT.fill({"number": number + 1, "count": count})
            run = replace(run, name=f"{name}#{number + 1}", notes=(note, *run.notes))
        runs.append(run)
    return runs


def _run(
    parts: Sequence[tuple[Stream, Attempt]], name: str, path: str, mapping: Mapping[str, str]
) -> Run:
    found: list[Candidate] = []
    notes: list[Text] = []
    for stream, attempt in parts:
        own = with_validated(candidates(attempt.series, stream.source, stream.framework))
        own = with_scores(with_returns(own))
        found = _joined(found, own, notes)
        notes.extend(attempt.notes)
    found, moved = on_one_axis(found)
    series, naming_notes = name_series(found, mapping)
    series, no_course = (series, ()) if mapping else without_course(series)
    main = max(parts, key=lambda part: max((one.steps.size for one in part[1].series), default=0))
    return Run(
        name=name,
        path=path,
        series=series,
        restarts=main[1].restarts,
        notes=tuple(dict.fromkeys((*notes, *moved, *naming_notes, *no_course))),
    )


def _joined(found: list[Candidate], own: list[Candidate], notes: list[Text]) -> list[Candidate]:
    """Add series of another source, except those that are there already: the longer one stays."""
    if not found:
        return own
    places = {_quantity(candidate): place for place, candidate in reversed(list(enumerate(found)))}
    kept = list(found)
    for candidate in own:
        place = places.get(_quantity(candidate))
        if place is None:
            kept.append(candidate)
            continue
        if candidate.size > kept[place].size:
            kept[place] = candidate
        if candidate.role.metric is Metric.LOSS:
            notes.append(SEVERAL_FILES.fill({"source": kept[place].source}))
    return kept


def _quantity(candidate: Candidate) -> tuple[object, ...]:
    """What the series measures: its role if a run has only one of it, else its bare name."""
    role = candidate.role
    ranks = (candidate.raw.rank, role.rank)
    # episodes, means over them and evaluations are all rewards, and no copies of each other
    if role.metric in MANY or role.metric is Metric.REWARD:
        return (plain_name(candidate.raw.tag).removeprefix("train "), *ranks)
    kind = 0
    if role.metric is Metric.VAL_LOSS:  # nor are the losses of the validation and the test set
        kind = int(not _TEST_WORDS.isdisjoint(plain_name(candidate.raw.tag).split()))
    return (role.metric, role.coarse, kind, *ranks)


def same_data(a: Sequence[RawSeries], b: Sequence[RawSeries]) -> bool:
    """Return whether two sources logged one loss: equal values at the steps they share."""
    first, second = main_loss(a), main_loss(b)
    if first is None or second is None:
        return False
    shared, i, j = np.intersect1d(first.steps, second.steps, return_indices=True)
    smaller = min(first.steps.size, second.steps.size)
    if shared.size < max(LEAST_SHARED, SAME_SHARE * smaller):
        return False
    mine, theirs = first.values[i], second.values[j]
    if np.all(mine == mine[0]):
        return False
    return bool(agree(mine, theirs))


def agree(mine: FloatArray, theirs: FloatArray) -> NDArray[np.bool_]:
    """Return whether values of two sources at the same steps (last axis) are those of one loss."""
    equal = np.isclose(mine, theirs, rtol=SAME_TOLERANCE, atol=SAME_ROUNDING, equal_nan=True)
    with np.errstate(over="ignore", invalid="ignore"):
        room = APART_ROUNDING + APART * np.minimum(np.abs(mine), np.abs(theirs))
        apart = np.abs(mine - theirs) > room
    apart |= np.isfinite(mine) != np.isfinite(theirs)
    found: NDArray[np.bool_] = (equal.mean(axis=-1) >= SAME_SHARE) & ~apart.any(axis=-1)
    return found


def losses_of(series: Sequence[RawSeries]) -> list[RawSeries]:
    """Return the training losses among the series: per batch and per epoch, say."""
    return [one for one in series if role_of(one.tag).metric is Metric.LOSS]


def main_loss(series: Sequence[RawSeries]) -> RawSeries | None:
    """Return the longest loss, else the longest series of a known quantity, None without one."""
    losses = losses_of(series)
    pool = losses or [one for one in series if role_of(one.tag).metric is not Metric.OTHER]
    return max(pool, key=lambda one: one.steps.size, default=None)
