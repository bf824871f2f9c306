"""Several trainings printed one after the other: where the next one begins."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Final

import numpy as np

from spikedoc.model.run import ConfigValue, FloatArray, IntArray
from spikedoc.readers._column import Column
from spikedoc.readers._text_epochs import EpochSteps
from spikedoc.text import Text

# A training starts afresh when its first record lies within so many strides of its own logging
# from 0: one record may be missing. One that resumes goes on beside where the other was saved.
FRESH_STRIDES: Final = 2.0
# Records from which the stride is taken: an epoch of two decimals is too coarse for that of one.
STRIDE_POINTS: Final = 10

_NEVER: Final = np.iinfo(np.int64).max

# What only a record of training has; its loss may have another name, as under SetFit.
_OF_TRAINING: Final = ("loss", "learning_rate")
TRAININGS: Final = Text(
    "{count} trainings one after the other: each summary row ends one",
    "日志中依次有 {count} 次训练：每个汇总行结束一次",
)


class Finished:
    """Remembers where summary rows ended a training, and the settings announced until there."""

    def __init__(self) -> None:
        """Start with no training finished."""
        self._rows: list[int] = []
        self._epochs: list[float] = []
        self._configs: list[Mapping[str, ConfigValue]] = []

    def close(self, row: int, epoch: str, config: Mapping[str, ConfigValue]) -> None:
        """Remember that a training ended before `row` at `epoch`, having announced `config`."""
        self._rows.append(row)
        self._epochs.append(float(epoch) if epoch else math.nan)
        self._configs.append(dict(config))

    def begins(self, rows: IntArray, places: FloatArray, *, are_epochs: bool) -> list[int]:
        """Return the rows at which another training begins, after one that was finished.

        `rows` are those of training records, rising, and `places` their steps or epochs. A
        training that goes on where the finished one stopped is the same one.
        """
        known = ~np.isnan(places)
        rows, places = rows[known], places[known]
        found = set()
        ends = np.searchsorted(rows, np.array([*self._rows, _NEVER], dtype=np.int64))
        for (at, end), epoch in zip(pairwise(ends), self._epochs, strict=True):
            if 0 < at < end:
                last = float(places[at - 1])
                last = epoch if are_epochs and epoch > last else last
                found |= {int(rows[at])} if is_fresh(places[at:end], last) else set()
        return sorted(found)

    def steps(
        self,
        parts: Sequence[EpochSteps],
        begins: Sequence[int],
        folder: Path,
        config: Mapping[str, ConfigValue],
    ) -> tuple[Column, tuple[Text, ...]] | None:
        """Return the steps of all rows and what was assumed, each training by its own epochs.

        `config` is that of the whole log; None when the epochs of a part cannot be turned into
        steps.
        """
        found = []
        for part, end in zip(parts, [*begins, None], strict=True):
            one = part.steps(folder, self.config(end, config))
            if one is None:
                return None
            found.append(one)
        rows = np.concatenate([one.column.rows for one in found])
        values = np.concatenate([one.column.values for one in found])
        return Column(rows, values), tuple(dict.fromkeys(one.note for one in found))

    def config(self, end: int | None, last: Mapping[str, ConfigValue]) -> Mapping[str, ConfigValue]:
        """Return the settings of the training before row `end`; `last` are those of the log."""
        closed = 0 if end is None else sum(row <= end for row in self._rows)
        return self._configs[closed - 1] if closed else last


def rows_of_training(columns: Mapping[str, Column]) -> IntArray:
    """Return the rows of records of training, rising."""
    found = [columns[tag].rows for tag in _OF_TRAINING if tag in columns]
    if found and all(np.array_equal(one, found[0]) for one in found):
        return found[0]
    return np.unique(np.concatenate([np.zeros(0, dtype=np.int64), *found]))


def is_fresh(places: FloatArray, last: float) -> bool:
    """Return whether records behind one at `last` go back to the beginning.

    Those of one epoch may all stand at it: only where places change do they tell a stride.
    """
    first = float(places[0])
    if first > last:
        return False
    changes = np.flatnonzero(np.diff(places))
    # An epoch that is never left is counted on by one.
    ahead = np.diff(places[np.append(changes, changes[-1:] + 1)][: STRIDE_POINTS + 1])
    if not changes.size:
        return places.size == 1 or first <= FRESH_STRIDES
    rising = int(np.argmin(np.append(ahead > 0, False)))
    return not rising or first <= FRESH_STRIDES * float(np.mean(ahead[:rising]))
