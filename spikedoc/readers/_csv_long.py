"""Long tables: one row per value, with a column that names the series."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from spikedoc.readers._columns import EPOCH_NAMES, STEP_NAMES, WALL_NAMES
from spikedoc.readers._csv_layout import QUOTES
from spikedoc.readers._long_phases import coded_notes, long_codes, long_words
from spikedoc.readers._memory import POINTS_DROPPED
from spikedoc.readers._numbers import LARGEST_STEP, are_wall_times, number
from spikedoc.readers._phases import phases_among, prefixed
from spikedoc.readers._points import MOST_TAGS
from spikedoc.readers.base import RawSeries
from spikedoc.text import Text

TAG_NAMES: Final = ("tag", "metric", "name", "key", "metric_name", "variable", "series")
VALUE_NAMES: Final = ("value", "val", "scalar", "metric_value", "y")
RUN_NAMES: Final = ("run", "run_name")


@dataclass(frozen=True, slots=True)
class Places:
    """Where the columns of a long table are; a clock and the name of the run need not be there."""

    tag: int
    value: int
    step: int
    wall: int | None
    run: int | None
    phase: tuple[tuple[str, int], ...] = ()  # columns that may say what a row is of, with names


def places_in(names: Sequence[str]) -> Places | None:
    """Return the places of the columns; None when the table is not of this form."""
    lower = [name.lower() for name in names]
    tag, value = _first(lower, TAG_NAMES), _first(lower, VALUE_NAMES)
    step = _first(lower, (*STEP_NAMES, *EPOCH_NAMES))
    if tag is None or value is None or step is None:
        return None
    named = {tag, value, step}
    phases = tuple(one for one in phases_among(names) if one[1] not in named)
    return Places(tag, value, step, _first(lower, WALL_NAMES), _first(lower, RUN_NAMES), phases)


def tag_of(cell: str, word: str) -> str:
    """Return the name of a series by its cell in the tag column and the word for held-out data."""
    return prefixed(word, cell.strip().strip(QUOTES).strip())


def long_format(
    places: Places, rows: Sequence[Sequence[str]]
) -> tuple[tuple[RawSeries, ...], tuple[Text, ...]]:
    """Return one series per name in the tag column, and notes.

    In a table of several runs the name of the run goes before the tag.
    """
    run_at, wall_at = places.run, places.wall
    several = run_at is not None and len({row[run_at].strip() for row in rows} - {""}) > 1
    points: dict[str, list[tuple[int, int, float, float]]] = {}
    dropped = 0
    told = [(name, [row[place] for row in rows]) for name, place in places.phase]
    codes = long_codes(
        [([row[places.tag] for row in rows], told, [row[places.step] for row in rows])]
    )
    words_at = [
        (place, long_words(name, cells, codes))
        for (name, place), (_, cells) in zip(places.phase, told, strict=True)
    ]
    for index, row in enumerate(rows):
        step, value = number(row[places.step]), number(row[places.value])
        if step is None or value is None or not _is_whole(step):
            continue
        words = filter(None, (known.get(row[place], "") for place, known in words_at))
        tag = tag_of(row[places.tag], next(words, ""))
        if several and run_at is not None and row[run_at].strip():
            tag = f"{row[run_at].strip()}/{tag}"
        if tag not in points and len(points) >= MOST_TAGS:
            dropped += 1
            continue
        wall = number(row[wall_at]) if wall_at is not None else None
        points.setdefault(tag, []).append((int(step), index, value, wall if wall else np.nan))
    notes = (POINTS_DROPPED.fill({"count": dropped}),) if dropped else ()
    series = tuple(_series(tag, found) for tag, found in points.items())
    return series, (*coded_notes(codes), *notes)


def _is_whole(step: float) -> bool:
    return abs(step) < LARGEST_STEP and step == round(step)


def _first(names: Sequence[str], wanted: Sequence[str]) -> int | None:
    return next((names.index(name) for name in wanted if name in names), None)


def _series(tag: str, points: Sequence[tuple[int, int, float, float]]) -> RawSeries:
    steps, order, values, walls = zip(*points, strict=True)
    times = np.array(walls, dtype=np.float64)
    return RawSeries(
        tag=tag,
        steps=np.array(steps, dtype=np.int64),
        values=np.array(values, dtype=np.float64),
        wall_times=times if are_wall_times(times) else None,
        order=np.array(order, dtype=np.int64),
    )
