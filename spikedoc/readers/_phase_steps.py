"""Where held-out rows of a table stand: at steps of their own, or at that of the row before."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Final

import numpy as np

from spikedoc.model.run import FloatArray, IntArray
from spikedoc.readers._column import Column
from spikedoc.readers._phases import prefixed, unmarked
from spikedoc.text import Text, listed

# Share of the held-out rows whose counter must not lie behind that of the training row before, for
# it to be the same counter; a restart puts both back.
LEAST_IN_LINE: Final = 0.8
# A counter that rises by itself, as a later evaluation writes it, must get this far: one that
# counts epochs beside optimizer steps does not.
LEAST_REACH: Final = 0.5
SEPARATE: Final = Text(
    "rows marked {words} are series of their own", "标记为 {words} 的行已作为单独的序列"
)
MEANS: Final = Text(
    "{count} {count|row|rows} of one pass over held-out data each {count|was|were} averaged",
    "{count} 行记录已按每次留出集评估取均值",
)


def with_held_out(
    columns: Mapping[str, Column], counters: Collection[str], clocks: Collection[str]
) -> tuple[dict[str, Column], tuple[Text, ...]]:
    """Return the columns, those of held-out rows by their final names, and notes.

    `counters` and `clocks` are names of columns. A counter that held-out rows share with the rows
    of training becomes one column; one that counts something else is dropped there, so that these
    rows take the step of the training row before them. Several rows of one pass become their mean.
    """
    result: dict[str, Column] = {}
    groups: dict[str, dict[str, Column]] = {}
    for name, cells in columns.items():
        word, bare = unmarked(name)
        (groups.setdefault(word, {}) if word else result)[bare] = cells
    training = dict(result)
    averaged = 0
    for word, own in groups.items():
        places = _Places(training, own, counters)
        for name, cells in own.items():
            if name in clocks or name in places.shared:
                _merge(result, name, cells)
            elif name not in counters:
                means, count = places.means(cells)
                averaged += count
                _merge(result, prefixed(word, name), means)
    notes = [SEPARATE.fill({"words": listed(groups)})] if training and groups else []
    if averaged:
        notes.append(MEANS.fill({"count": averaged}))
    return result, tuple(notes)


def _merge(columns: dict[str, Column], name: str, cells: Column) -> None:
    before = columns.get(name)
    if before is not None:
        rows = np.concatenate([before.rows, cells.rows])
        order = np.argsort(rows, kind="stable")
        values = np.concatenate([before.values, cells.values])
        cells = Column(rows[order], values[order])
    columns[name] = cells


class _Places:
    """Which counters held-out rows share with training, and which of their rows are one pass."""

    def __init__(
        self, training: Mapping[str, Column], own: Mapping[str, Column], counters: Collection[str]
    ) -> None:
        found = [name for name in own if name in counters]
        self.shared = {name for name in found if _is_same(own[name], training.get(name))}
        every = [cells.rows for cells in training.values()]
        self._trained = np.unique(np.concatenate(every)) if every else np.zeros(0, dtype=np.int64)
        self._counted = [own[name] for name in found if name in self.shared]
        self._has_steps = bool(found) or any(name in counters for name in training)

    def means(self, cells: Column) -> tuple[Column, int]:
        """Return the cells with one mean for each pass, and how many rows went into means."""
        if not self._trained.size or not self._has_steps or not cells.rows.size:
            return cells, 0
        keys = [np.searchsorted(self._trained, cells.rows).astype(np.float64)]
        keys += [_at(counter, cells.rows) for counter in self._counted]
        _, group = np.unique(np.stack(keys, axis=1), axis=0, return_inverse=True)
        group = group.reshape(-1)
        sizes = np.bincount(group)
        if sizes.max() == 1:
            return cells, 0
        with np.errstate(invalid="ignore", over="ignore"):
            means = np.bincount(group, weights=cells.values) / sizes
        last = np.zeros(sizes.size, dtype=np.int64)
        np.maximum.at(last, group, cells.rows)
        order = np.argsort(last, kind="stable")
        return Column(last[order], means[order]), int(sizes[sizes > 1].sum())


def _at(counter: Column, rows: IntArray) -> FloatArray:
    """The counter at each of the rows, -1 where it has none there."""
    place = np.minimum(np.searchsorted(counter.rows, rows), counter.rows.size - 1)
    found = np.where(counter.rows[place] == rows, counter.values[place], -1.0)
    return np.where(np.isfinite(found), found, -1.0)


def _is_same(own: Column, trained: Column | None) -> bool:
    """Whether a counter of held-out rows counts what that of training rows counts."""
    if trained is None or not trained.rows.size:
        return True
    place = np.searchsorted(trained.rows, own.rows) - 1
    before = np.where(place >= 0, trained.values[np.maximum(place, 0)], -np.inf)
    with np.errstate(invalid="ignore"):
        if np.mean(own.values >= before) >= LEAST_IN_LINE:
            return True
        rises = bool(np.all(np.diff(own.values) >= 0))
        return rises and bool(own.values.max() >= LEAST_REACH * np.nanmax(trained.values))
