"""From a table of losses per sample to the ranking with its words."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import Final

import numpy as np

from spikedoc.errors import UsageError
from spikedoc.redaction import redacted
from spikedoc.samples.ranking import HIGH_RATIO, Heights, described, heights, ordered
from spikedoc.samples.result import SHOWN, Ranking, Verdict
from spikedoc.samples.table import SampleTable
from spikedoc.samples.words import ADVICE, UNITS, found_text, none_text, notes_on
from spikedoc.signal.gap import FEWEST
from spikedoc.text import Text

NO_PLACES: Final = Text("--at needs a column with the step or the epoch", "--at 需要一列步数或轮数")
NOT_SEEN: Final = Text(
    "no sample was seen at this {unit}; the table has {low} to {high}",
    "这一{unit}没有样本；表中有 {low} 到 {high}",
)


def rank(table: SampleTable, source: str, *, at: int | None = None, shown: int = SHOWN) -> Ranking:
    """Return the samples in order; `at` keeps those of one step or epoch alone.

    Raises UsageError when nothing was seen at `at`.
    """
    if at is not None:
        table = _at(table, at)
    high = heights(table)
    order = ordered(table, high)
    counts = Counter(order.verdicts)
    samples = len(order.verdicts)
    apart = samples - counts[Verdict.ORDINARY]
    ranked = [described(table, high, order, int(one)) for one in order.first[: max(shown, 1)]]
    ranked = [replace(one, name=redacted(one.name)) for one in ranked]
    beyond = None if high.ratio is None else float(np.mean(high.ratio >= HIGH_RATIO))
    return Ranking(
        source=redacted(source),
        unit=table.unit,
        rows=int(table.losses.size),
        samples=samples,
        batches=int(np.unique(high.batch).size),
        apart=apart,
        limit=_limit_as_ratio(high, order.limit),
        statement=found_text(counts, samples) if apart else none_text(ranked[0]),
        ranked=tuple(ranked),
        advice=tuple(text for verdict, text in ADVICE.items() if counts[verdict]),
        notes=notes_on(table.left_out, beyond, few=table.losses.size < FEWEST),
    )


def _at(table: SampleTable, at: int) -> SampleTable:
    if not table.unit:
        raise UsageError(NO_PLACES)
    places = np.flatnonzero(table.places == at)
    if not places.size:
        low, high = int(table.places.min()), int(table.places.max())
        told = NOT_SEEN.fill({"unit": UNITS[table.unit], "low": low, "high": high})
        raise UsageError(told, at=f"--at {at}")
    rows = table.place == places[0]
    seen, sample = np.unique(table.sample[rows], return_inverse=True)
    return SampleTable(
        names=tuple(table.names[one] for one in seen),
        sample=sample.astype(np.int64),
        losses=table.losses[rows],
        places=table.places[places],
        place=np.zeros(int(rows.sum()), dtype=np.int64),
        unit=table.unit,
        left_out=0,
    )


def _limit_as_ratio(high: Heights, limit: float) -> float | None:
    return None if high.ratio is None or not np.isfinite(limit) else float(np.exp(limit))
