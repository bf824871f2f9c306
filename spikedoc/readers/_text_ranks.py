"""Logs into which several ranks print: who printed a line, and one series out of many."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

import numpy as np

from spikedoc.model.run import IntArray
from spikedoc.readers._column import Column
from spikedoc.readers.base import RawSeries
from spikedoc.text import Text

MEAN_NOTE: Final = Text(
    "{count} ranks print: the main series are means over them",
    "共有 {count} 个 rank 输出：主序列取各 rank 的均值",
)
# Ranks whose steps agree over this share of the longest series are averaged.
SAME_STEPS_SHARE: Final = 0.9
# [rank3]: of PyTorch, [default3]: of torchelastic, [1,3]<stdout>: of Open MPI.
_PREFIX: Final = re.compile(
    r"\[?(?:rank|default|worker|gpu)[ _:\-]{0,2}(\d{1,5})\]?\s?[:>|]\s{0,4}"
    r"|\[\d{1,5},(\d{1,5})\]<std\w{3}>:\s{0,4}",
    re.IGNORECASE,
)
# srun --label puts the bare number of the task in front.
_BARE: Final = re.compile(r"(\d{1,5}): (?=\S)")
_INSIDE: Final = re.compile(r"\[rank[ :=]?(\d{1,5})\]", re.IGNORECASE)
_STARTS: Final = frozenset("[rRdDwWgG")
# Ray puts the actor and its process in front: (TaskRunner pid=4242), (train pid=7, ip=10.0.0.1).
_ACTOR: Final = re.compile(
    r"\((?:[\w.:\[\]<> \-]{1,80} )?pid=(\d{1,10})(?:, ip=[\w.:]{3,60})?\)\s{0,4}"
)


def rank_of(line: str) -> tuple[int | None, str]:
    """Return the rank that printed the line, None when it does not say, and the line without it."""
    if line[0] in _STARTS:
        match = _PREFIX.match(line)
        if match:
            return int(match.group(1) or match.group(2)), line[match.end() :]
        if "ank" in line:
            match = _INSIDE.search(line)
            if match:
                return int(match.group(1)), line
    return None, line


def process_of(line: str) -> tuple[str, str] | None:
    """Return the process of Ray's that printed the line and the line without it; None for none."""
    match = _ACTOR.match(line) if line[0] == "(" else None
    return (match.group(1), line[match.end() :]) if match and match.end() < len(line) else None


def bare_rank(line: str) -> tuple[int, str] | None:
    """Return the number before the first colon and the rest: a rank, or a step, or neither."""
    match = _BARE.match(line) if line[0].isdigit() else None
    return (int(match.group(1)), line[match.end() :]) if match else None


def placed(tag: str, column: Column, steps: IntArray) -> RawSeries:
    """Return a column as a series; `steps` are those of all rows."""
    return RawSeries(tag, steps[column.rows], column.values, order=column.rows)


def by_rank(
    columns: Mapping[str, Column], steps: IntArray, ranks: IntArray
) -> dict[int, list[RawSeries]]:
    """Return the series of each rank; `steps` and `ranks` are those of all rows."""
    found: dict[int, list[RawSeries]] = {}
    for tag, column in columns.items():
        of_rows = ranks[column.rows]
        for rank in np.unique(of_rows):
            mine = of_rows == rank
            part = Column(column.rows[mine], column.values[mine])
            found.setdefault(int(rank), []).append(placed(tag, part, steps))
    return found


def joined(by_rank: Mapping[int, Sequence[RawSeries]]) -> list[RawSeries]:
    """Return a main series for each tag, and those of single ranks where they differ."""
    by_tag: dict[str, dict[int, RawSeries]] = {}
    for rank, series in sorted(by_rank.items()):
        for one in series:
            by_tag.setdefault(one.tag, {})[rank] = one
    result = []
    for tag, ranks in by_tag.items():
        result.append(_main(list(ranks.values())))
        if len(ranks) > 1 and not _are_equal(list(ranks.values())):
            result += [replace(s, tag=f"{tag}/rank{r}", rank=r) for r, s in ranks.items()]
    return result


def _main(series: Sequence[RawSeries]) -> RawSeries:
    longest = max(series, key=lambda one: one.steps.size)
    shared = min(one.steps.size for one in series)
    same = all(np.array_equal(one.steps[:shared], longest.steps[:shared]) for one in series)
    if len(series) == 1 or not same or shared < SAME_STEPS_SHARE * longest.steps.size:
        return longest
    mean = np.mean([one.values[:shared] for one in series], axis=0)
    order = longest.order[:shared] if longest.order is not None else None
    return RawSeries(longest.tag, longest.steps[:shared], mean, order=order)


def _are_equal(series: Sequence[RawSeries]) -> bool:
    shared = min(one.values.size for one in series)
    first = series[0].values[:shared]
    return all(np.array_equal(one.values[:shared], first, equal_nan=True) for one in series[1:])
