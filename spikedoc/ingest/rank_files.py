"""Logs that the ranks of one run wrote, a file each: laid side by side as one log."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

import numpy as np

from spikedoc.ingest.aliases import role_of
from spikedoc.ingest.assemble import main_loss
from spikedoc.ingest.read_file import EVENTS, ReadFile
from spikedoc.model.metric import Metric
from spikedoc.model.run import FloatArray, IntArray
from spikedoc.readers.base import RawSeries, Table
from spikedoc.text import Text, listed

# `rank0.log`, `train_rank_3.jsonl`, `log.local_rank=2`; other words (gpu, worker) also number
# trainings that have nothing to do with each other.
_RANK: Final = re.compile(
    r"(?:^|(?<=[^A-Za-z0-9]))(?:local_|global_)?rank[_\-.= ]?(\d{1,5})(?=$|[^A-Za-z0-9])",
    re.IGNORECASE,
)
# torchelastic writes `attempt_0/3/stdout.log`.
_ATTEMPT: Final = re.compile(r"attempt_\d+")
_STANDARD: Final = frozenset({"stdout.log", "stderr.log"})
# Ranks of one run log the same steps: of the longest log, this share …
SAME_STEPS_SHARE: Final = 0.9
# … unless the rank died: it begins with the others and is a part of them.
LEAST_POINTS: Final = 3
RANKS_FEWEST: Final = 2
NAMES_TOLD: Final = 4


@dataclass(frozen=True, slots=True)
class Place:
    """Which rank wrote a log, and what the logs of its run have in common."""

    rank: int
    folder: Path  # of the run
    key: str


def place_of(path: Path, kind: str) -> Place | None:
    """Return the rank that the name of a log or of its folder tells, None for any other log."""
    found = _RANK.search(path.name)
    if found:
        rest = f"{path.name[: found.start()]}*{path.name[found.end() :]}"
        return Place(int(found.group(1)), path.parent, "" if kind == EVENTS else rest)
    folder = path.parent
    found = _RANK.search(folder.name)
    if found:
        rest = f"{folder.name[: found.start()]}*{folder.name[found.end() :]}"
        name = "" if kind == EVENTS else path.name
        return Place(int(found.group(1)), folder.parent, f"{rest}/{name}")
    if folder.name.isdigit() and _ATTEMPT.fullmatch(folder.parent.name) and path.name in _STANDARD:
        return Place(int(folder.name[:5]), folder.parent, f"*/{path.name}")
    return None


def with_ranks_joined(read: Sequence[ReadFile]) -> list[ReadFile]:
    """Return the logs, those of the ranks of one run as one log with a series per rank.

    The first rank holds the series; logs of the others stay as sources. Ranks must be numbered from
    0 without a gap and log the same quantities at the same steps, with equal learning rates: else
    they are runs of their own, such as adapters of several ranks.
    """
    sets: dict[tuple[Path, str, str], dict[int, list[ReadFile]]] = {}
    for one in read:
        place = place_of(one.file.path, one.kind) if one.table.series else None
        if place is not None:
            key = (place.folder, place.key, one.kind)
            sets.setdefault(key, {}).setdefault(place.rank, []).append(one)
    crowded = Counter(folder for folder, _, _ in sets)
    changed: dict[int, ReadFile | None] = {}
    for (folder, _, _), ranks in sets.items():
        if not _is_one_run(ranks):
            continue
        whole = {rank: files[0] for rank, files in sorted(ranks.items())}
        joined = _joined(whole)
        for rank, one in whole.items():
            table = joined if rank == 0 else Table(notes=one.table.notes)
            kept = replace(one, file=replace(one.file, folder=folder), table=table)
            # beside another set of ranks it could not be told whose source it is
            changed[id(one)] = kept if rank == 0 or crowded[folder] == 1 else None
    kept_or_not = [changed.get(id(one), one) for one in read]
    return [one for one in kept_or_not if one is not None]


def _is_one_run(ranks: Mapping[int, Sequence[ReadFile]]) -> bool:
    if len(ranks) < RANKS_FEWEST or set(ranks) != set(range(len(ranks))):
        return False
    if any(len(files) != 1 for files in ranks.values()):
        return False
    tables = [ranks[rank][0].table for rank in range(len(ranks))]
    losses = [main_loss(table.series) for table in tables]
    longest = max((loss.steps for loss in losses if loss is not None), key=len, default=None)
    if longest is None:
        return False
    return all(loss is not None and _is_part(loss.steps, longest) for loss in losses) and (
        _have_equal_rates(tables)
    )


def _is_part(steps: IntArray, longest: IntArray) -> bool:
    """Whether a rank logged the same steps, or those from the start until it died."""
    if steps.size < LEAST_POINTS:
        return False
    shared = int(np.isin(steps, longest).sum())
    until = int((longest <= steps.max()).sum())
    return shared >= SAME_STEPS_SHARE * steps.size and shared >= SAME_STEPS_SHARE * until


def _have_equal_rates(tables: Sequence[Table]) -> bool:
    """Whether learning rates agree where they are logged: other ones are other runs."""
    rates = [
        {s.tag: s for s in table.series if role_of(s.tag).metric is Metric.LR} for table in tables
    ]
    for other in rates[1:]:
        for tag, series in other.items():
            first = rates[0].get(tag)
            if first is None:
                continue
            _, i, j = np.intersect1d(first.steps, series.steps, return_indices=True)
            if not np.allclose(first.values[i], series.values[j], rtol=1e-3, equal_nan=True):
                return False
    return True


SIDE_BY_SIDE: Final = Text(
    "{count} ranks laid side by side, the main series are their means: {names}",
    "{count} 个 rank 的日志并列比对，主序列取其均值：{names}",
)
ENDED_EARLY: Final = Text(
    "the log of rank {rank} ends at step {end}, others go on to {last}",
    "rank {rank} 的日志止于第 {end} 步，其他 rank 延续到第 {last} 步",
)


def _joined(ranks: Mapping[int, ReadFile]) -> Table:
    """The table of rank 0 with means over the ranks, and a series per rank where they differ."""
    first = ranks[0].table
    by_tag: dict[str, dict[int, RawSeries]] = {}
    for rank, one in ranks.items():
        for series in one.table.series:
            if series.rank is None:
                by_tag.setdefault(series.tag, {})[rank] = series
    result = [series for series in first.series if series.rank is not None]
    for tag, found in by_tag.items():
        main, differ = _mean(list(found.values()))
        result.append(main)
        if len(found) >= RANKS_FEWEST and differ:
            result += [replace(s, tag=f"{tag}/rank{r}", rank=r) for r, s in found.items()]
    names = [one.file.path.name for one in ranks.values()]
    if len(set(names)) == 1:
        names = [f"{one.file.path.parent.name}/{one.file.path.name}" for one in ranks.values()]
    shown = listed(names, NAMES_TOLD)
    if len(names) > NAMES_TOLD:
        shown = Text(f"{shown.en} {names[-1]}", f"{shown.zh} {names[-1]}")
    notes = [SIDE_BY_SIDE.fill({"count": len(ranks), "names": shown})]
    notes += _ended_early({rank: one.table for rank, one in ranks.items()})
    events = tuple(event for one in ranks.values() for event in one.table.events)
    return replace(first, series=tuple(result), notes=(*first.notes, *notes), events=events)


def _mean(series: Sequence[RawSeries]) -> tuple[RawSeries, bool]:
    """The mean over the ranks that reach to the end, and whether any of them differ."""
    longest = max(series, key=lambda one: one.steps.size)
    whole = [s for s in series if s.steps.size >= SAME_STEPS_SHARE * longest.steps.size]
    if all(np.array_equal(one.steps, longest.steps) for one in whole):
        values = [one.values for one in whole]
        return _main(longest, values), len(whole) < len(series) or _differ(values)
    if any(np.any(np.diff(one.steps) <= 0) for one in whole):
        return longest, True
    steps = longest.steps
    for one in whole:
        steps = np.intersect1d(steps, one.steps, assume_unique=True)
    values = [one.values[np.searchsorted(one.steps, steps)] for one in whole]
    place = np.searchsorted(longest.steps, steps)
    kept = replace(
        longest,
        steps=steps,
        values=longest.values[place],
        wall_times=None if longest.wall_times is None else longest.wall_times[place],
        order=None if longest.order is None else longest.order[place],
    )
    return _main(kept, values), len(whole) < len(series) or _differ(values)


def _main(like: RawSeries, values: Sequence[FloatArray]) -> RawSeries:
    if not _differ(values):
        return replace(like, values=values[0])
    with np.errstate(invalid="ignore", over="ignore"):
        return replace(like, values=np.mean(values, axis=0))


def _differ(values: Sequence[FloatArray]) -> bool:
    return not all(np.array_equal(one, values[0], equal_nan=True) for one in values[1:])


def _ended_early(tables: Mapping[int, Table]) -> list[Text]:
    """Notes on ranks whose log ends before that of the others."""
    ends = {r: int(loss.steps.max()) for r, t in tables.items() if (loss := main_loss(t.series))}
    last = max(ends.values())
    losses = {r: loss for r, t in tables.items() if (loss := main_loss(t.series))}
    most = max(loss.steps.size for loss in losses.values())
    short = [r for r, loss in losses.items() if loss.steps.size < SAME_STEPS_SHARE * most]
    return [ENDED_EARLY.fill({"rank": r, "end": ends[r], "last": last}) for r in short]
