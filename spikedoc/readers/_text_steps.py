"""The step of each record of a printed log, whatever its lines say about their place."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from spikedoc.model.run import FloatArray, IntArray
from spikedoc.readers._notes import EPOCH_STEPS, ROW_STEPS
from spikedoc.readers._numbers import LARGEST_STEP
from spikedoc.readers.lines.base import Record
from spikedoc.text import Text

Mask = NDArray[np.bool_]
EPOCH_NOTE: Final = EPOCH_STEPS.fill({"tag": "epoch"})
BATCH_NOTE: Final = Text(
    "steps = epoch × {length} {length|batch|batches} per epoch ({source}) + batch",
    "步数 = epoch × 每个 epoch {length} 个批次（{source}）+ 批次号",
)
PRINTED: Final = Text("as printed", "日志所印")
HIGHEST_BATCH: Final = Text("the highest batch number", "最大的批次号")
_NONE: Final = float("nan")
# Of the changes of epoch, this share must put the batch counter back for it to count one epoch.
LEAST_RESETS: Final = 0.5
# Records per epoch of one quantity above which an epoch is too coarse to be the step.
MOST_ROWS_PER_EPOCH: Final = 1.5

# Values of one quantity at one step, on average, from which on no line names the steps: what looks
# like one is a damaged line. Accumulation over micro-batches gives some tens at the most.
MOST_AT_ONE_STEP: Final = 50


@dataclass(frozen=True, slots=True, eq=False)
class Placed:
    """The step of each record, and what was assumed; `kind` names where the steps come from."""

    steps: IntArray
    kind: str  # "step", "batch", "epoch", "row"
    notes: tuple[Text, ...] = ()
    steps_per_epoch: int | None = None  # where the lines print it


class Places:
    """Collects what records say about their place."""

    def __init__(self) -> None:
        """Start with no records."""
        self._step, self._epoch = array("d"), array("d")
        self._batch, self._batches = array("d"), array("d")
        self._writer = array("q")

    def add(self, record: Record, step: int | None, writer: int) -> None:
        """Remember a record's place; `step` is the one it names or that its writer has reached."""
        self._step.append(_safe(step))
        self._epoch.append(_epoch(record.epoch))
        self._batch.append(_safe(record.batch))
        self._batches.append(_safe(record.batches))
        self._writer.append(writer)

    def add_all(
        self,
        steps: Sequence[int] | None,
        epochs: Sequence[str],
        batches: Sequence[int] | None,
        totals: Sequence[int] | None,
        writer: int,
    ) -> None:
        """Remember the places of records that name the same things, one epoch for each."""
        nothing = [_NONE] * len(epochs)
        self._step.extend(nothing if steps is None else map(_safe, steps))
        self._epoch.extend(map(_epoch, epochs))
        self._batch.extend(nothing if batches is None else map(_safe, batches))
        self._batches.extend(nothing if totals is None else map(_safe, totals))
        self._writer.extend([writer] * len(epochs))

    @property
    def epochs(self) -> FloatArray:
        """The epoch of each record, NaN where none is named."""
        return np.array(self._epoch, dtype=np.float64)

    def keys(self, rows: IntArray) -> FloatArray:
        """Return step, epoch and batch of each of the rows, NaN where they are not named."""
        named = (self._step, self._epoch, self._batch)
        return np.stack([np.array(one, dtype=np.float64)[rows] for one in named], axis=1)

    def told(self) -> tuple[FloatArray, bool]:
        """Return the steps that records name, or their epochs where none does; and which it is."""
        steps = np.array(self._step)
        are_epochs = bool(np.isnan(steps).all())
        return (self.epochs if are_epochs else steps), are_epochs

    def resolved(self, densest: int) -> Placed:
        """Return the steps; `densest` is the number of values of the fullest quantity."""
        steps, epochs = np.array(self._step), self.epochs
        batches, totals = np.array(self._batch), np.array(self._batches)
        if np.unique(steps[~np.isnan(steps)]).size * MOST_AT_ONE_STEP < densest:
            steps[:] = np.nan
        by_batch = np.isnan(steps) & ~np.isnan(epochs) & ~np.isnan(batches)
        notes: tuple[Text, ...] = ()
        kind, per_epoch = ("step" if bool(np.any(~np.isnan(steps))) else "row"), None
        if by_batch.any() and not _are_epoch_ends(batches[by_batch], totals[by_batch]):
            found, length, note = _counted(epochs, batches, totals, by_batch)
            notes = (note,) if note else ()
            steps[by_batch] = found[by_batch]
            of_epoch = np.isnan(steps) & ~np.isnan(epochs)
            if length:
                steps[of_epoch] = found[of_epoch]
            kind = "batch"
            per_epoch = length if length and not np.isnan(totals[by_batch]).all() else None
        elif kind == "row" and _are_epochs(epochs, densest):
            steps, kind, notes = epochs.copy(), "epoch", (EPOCH_NOTE,)
        if kind == "row":
            return Placed(np.arange(steps.size, dtype=np.int64), kind, (ROW_STEPS,))
        _put_back(steps, epochs)
        return Placed(_filled(steps, np.array(self._writer)), kind, notes, per_epoch)


def _safe(number: int | None) -> float:
    return float(number) if number is not None and abs(number) < LARGEST_STEP else _NONE


def _epoch(text: str) -> float:
    try:
        return float(text) if text else _NONE
    except ValueError:
        return _NONE


def _are_epoch_ends(batches: FloatArray, totals: FloatArray) -> bool:
    """Whether each record stands at the end of its epoch, as the last frame of a bar does."""
    return bool(np.all(batches == totals))


def _are_epochs(epochs: FloatArray, densest: int) -> bool:
    known = epochs[~np.isnan(epochs)]
    if not known.size or not np.array_equal(known, np.round(known)):
        return False
    visits = 1 + int(np.sum(np.diff(known) != 0))  # a second training counts its epochs again
    return densest <= MOST_ROWS_PER_EPOCH * visits


def _counted(
    epochs: FloatArray, batches: FloatArray, totals: FloatArray, rows: Mask
) -> tuple[FloatArray, int, Text | None]:
    """Steps from epoch and batch, the length of an epoch (0: the counter goes on), and a note."""
    e, b, printed = epochs[rows], batches[rows], totals[rows]
    printed = printed[~np.isnan(printed)]
    changes = np.diff(e) > 0
    if changes.any():
        starts_again = bool(np.mean(np.diff(b)[changes] <= 0) >= LEAST_RESETS)
    else:
        starts_again = bool(printed.size) and bool(np.all(b <= printed.max()))
    if not starts_again:
        return batches, 0, None
    if printed.size:
        values, counts = np.unique(printed, return_counts=True)
        length, source = int(values[np.argmax(counts)]), PRINTED
    else:
        forward = np.diff(b)[np.diff(b) > 0]
        stride = int(np.median(forward)) if forward.size else 1
        length, source = int(b.max()) + (stride if b.min() == 0 else 0), HIGHEST_BATCH
    base = min(1.0, float(np.nanmin(epochs)))
    within = np.where(np.isnan(batches), float(length), batches)
    note = BATCH_NOTE.fill({"length": length, "source": source})
    return (epochs - base) * length + within, length, note


def _put_back(steps: FloatArray, epochs: FloatArray) -> None:
    """Put records that name an earlier epoch and no step, of its checkpoint, where that ended."""
    with_epoch = ~np.isnan(epochs)
    reached = np.maximum.accumulate(np.where(with_epoch, epochs, -np.inf))
    back = np.isnan(steps) & with_epoch & (epochs < reached)
    if not back.any():
        return
    known = with_epoch & ~np.isnan(steps)
    ends = dict(zip(epochs[known].tolist(), steps[known].tolist(), strict=True))  # the last one
    steps[back] = [ends.get(epoch, _NONE) for epoch in epochs[back].tolist()]


def _filled(steps: FloatArray, writer: IntArray) -> IntArray:
    """Steps of all records: without one, that of the record before by the same writer."""
    result = np.zeros(steps.size, dtype=np.int64)
    steps = np.where(np.abs(steps) < LARGEST_STEP, steps, np.nan)
    for one in np.unique(writer):
        rows = np.flatnonzero(writer == one)
        known = np.where(np.isnan(steps[rows]), -1, np.arange(rows.size))
        known = np.maximum.accumulate(known)
        if known[-1] < 0:
            continue
        first = int(np.flatnonzero(known >= 0)[0])
        known[known < 0] = known[first]
        result[rows] = steps[rows][known].astype(np.int64)
    return result
