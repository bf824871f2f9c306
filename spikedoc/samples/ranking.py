"""Samples in the order in which a person should look at them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from spikedoc.samples.result import Sample, Verdict
from spikedoc.samples.table import FloatArray, IntArray, SampleTable
from spikedoc.signal.gap import parted_from

# The bound that the articles give: a sample above five times the median of its batch.
HIGH_RATIO: Final = 5.0
# The same where losses may be negative and have no ratio: in units of the batch's scatter.
HIGH_SCATTERS: Final = 7.0
# Rows whose median is a level; steps with fewer are taken together with the next ones.
LEAST_IN_BATCH: Final = 8
# Far below the median nothing is told by the log any more, and that of zero does not exist.
LOWEST_RATIO: Final = 1e-3
UPPER: Final = 0.75
UPPER_OF_NORMAL: Final = 0.6745  # the same quantile of a standard normal distribution


@dataclass(frozen=True, slots=True, eq=False)
class Heights:
    """How high each row stands over its batch, on a scale on which tails are exponential."""

    height: FloatArray  # NaN where the loss is not finite, or the batch has no scale
    ratio: FloatArray | None  # loss over the batch's median; None where losses may be negative
    batch: IntArray
    totals: FloatArray  # sum of the losses of each batch, NaN where one is
    least: float  # the height from which on a loss is high at all


def heights(table: SampleTable) -> Heights:
    """Return the height of each row over the rows seen with it."""
    batch = _batches(table)
    finite = np.isfinite(table.losses)
    totals = np.asarray(np.bincount(batch, table.losses), dtype=np.float64)
    count = totals.size
    middle, upper = np.full(count, np.nan), np.full(count, np.nan)
    order = np.argsort(batch, kind="stable")
    for rows in np.split(order, np.flatnonzero(np.diff(batch[order])) + 1):
        losses = table.losses[rows][finite[rows]]
        if losses.size:
            middle[batch[rows[0]]], upper[batch[rows[0]]] = np.quantile(losses, (0.5, UPPER))
    with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
        if np.all(table.losses[finite] >= 0) and np.nanmin(middle, initial=np.inf) > 0:
            ratio = np.where(finite, table.losses / middle[batch], np.nan)
            height = np.log(np.maximum(ratio, LOWEST_RATIO))
            return Heights(height, ratio, batch, totals, float(np.log(HIGH_RATIO)))
        scatter = (upper - middle) / UPPER_OF_NORMAL
        scatter[~(scatter > 0)] = np.nan  # more than half of the losses are equal
        over = np.where(finite, (table.losses - middle[batch]) / scatter[batch], np.nan)
    return Heights(np.arcsinh(over), None, batch, totals, float(np.arcsinh(HIGH_SCATTERS)))


def _batches(table: SampleTable) -> IntArray:
    """The batch of each row: its step or epoch, small ones joined with those that follow."""
    sizes = np.bincount(table.place)
    batch = np.zeros(sizes.size, dtype=np.int64)
    current = filled = 0
    for place, size in enumerate(sizes):
        if filled >= LEAST_IN_BATCH:
            current, filled = current + 1, 0
        batch[place] = current
        filled += int(size)
    if 0 < filled < LEAST_IN_BATCH and current:  # the last one joins the one before it
        batch[batch == current] = current - 1
    found: IntArray = batch[table.place]
    return found


@dataclass(frozen=True, slots=True, eq=False)
class Order:
    """All samples by their index in the table's names: verdict, median height, and the order."""

    verdicts: tuple[Verdict, ...]  # of each sample
    first: IntArray  # samples, the worst first
    rows: IntArray  # of the table, sorted by sample
    begins: IntArray  # where each sample begins among them
    limit: float  # the height that a lone sighting is judged by


def ordered(table: SampleTable, high: Heights) -> Order:
    """Return the samples that stand apart first, then the others by their usual height."""
    limit = max(high.least, parted_from(high.height[np.isfinite(high.height)]))
    # NaN sorts to the end, so that the known heights of a sample come first in its stretch.
    rows = np.lexsort((high.height, table.sample))
    begins = np.flatnonzero(np.diff(table.sample[rows], prepend=-1))
    seen = np.diff(begins, append=rows.size)
    height = high.height[rows]
    known = np.add.reduceat(~np.isnan(height), begins)
    lower, upper = (begins + np.maximum(known - 1, 0) // 2, begins + known // 2)
    usual = np.where(
        known > 0, (height[lower] + height[np.minimum(upper, rows.size - 1)]) / 2, np.nan
    )
    stays = min(limit, max(high.least, parted_from(usual[np.isfinite(usual)])))
    broken = np.add.reduceat(~np.isfinite(table.losses[rows]), begins) > 0
    beyond = np.fmax.reduceat(height, begins) >= limit
    lone = seen == 1
    tests = (
        (Verdict.NONFINITE, broken),
        (Verdict.STAYS_HIGH, ~lone & (usual >= stays)),
        (Verdict.HIGH, lone & beyond),
        (Verdict.HIGH_ONCE, ~lone & beyond),
    )
    code = np.select([test for _, test in tests], np.arange(len(tests)), len(tests))
    first = np.lexsort((-np.nan_to_num(usual, nan=-np.inf), code))
    every = (*(verdict for verdict, _ in tests), Verdict.ORDINARY)
    return Order(tuple(every[one] for one in code), first, rows, begins, limit)


def described(table: SampleTable, high: Heights, order: Order, sample: int) -> Sample:
    """Return what is told of one sample."""
    end = order.begins[sample + 1] if sample + 1 < order.begins.size else order.rows.size
    rows = np.sort(order.rows[order.begins[sample] : end])
    losses, height = table.losses[rows], high.height[rows]
    worst = int(np.argmax(np.where(np.isnan(losses), np.inf, losses)))
    ratio = None if high.ratio is None else _median(high.ratio[rows])
    return Sample(
        name=table.names[sample],
        verdict=order.verdicts[sample],
        sightings=int(rows.size),
        high_sightings=int(np.sum(height >= order.limit)),
        loss=_median(losses[np.isfinite(losses)]),
        ratio=None if ratio is None or np.isnan(ratio) else ratio,
        worst=float(losses[worst]),
        worst_at=int(table.places[table.place[rows[worst]]]) if table.unit else None,
        share=_share(table, high, int(rows[worst])),
    )


def _share(table: SampleTable, high: Heights, row: int) -> float | None:
    """The row's part of its batch's sum; None where losses may be negative or are not finite."""
    if high.ratio is None:
        return None
    total = float(high.totals[high.batch[row]])
    return float(table.losses[row]) / total if np.isfinite(total) and total > 0 else None


def _median(values: FloatArray) -> float:
    known = values[~np.isnan(values)]
    return float(np.median(known)) if known.size else float("nan")
