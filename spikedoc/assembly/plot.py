"""The curve a report shows: thinned, with every anomalous point kept."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from spikedoc.model.anomaly import Anomaly
from spikedoc.model.report import Plot
from spikedoc.model.run import FloatArray, IntArray, Run

# Lowest, highest and a non-finite value of this many stretches are kept.
BUCKETS: Final = 600
# A log axis when the curve spans more than this factor.
LOG_SPAN: Final = 8.0


def thin_curve(run: Run, anomalies: Sequence[Anomaly]) -> Plot | None:
    """Return the main loss of `run` for display, None without one."""
    series = run.main_loss
    if series is None or len(series) == 0:
        return None
    marks = [series.index_at(step) for a in anomalies for step in (a.start_step, a.peak_step)]
    marked = np.array([i for i in marks if i < len(series)], dtype=np.int64)
    keep = np.union1d(thinned(series.values), marked)
    values = series.values[keep]
    steps = tuple(series.steps[keep].astype(np.float64).tolist())
    return Plot(series.name, steps, tuple(values.tolist()), wants_log(values))


def wants_log(values: FloatArray) -> bool:
    """Return whether the finite values are positive and span enough for a log axis."""
    finite = values[np.isfinite(values)]
    return bool(finite.size and finite.min() > 0 and finite.max() > LOG_SPAN * finite.min())


def thinned(values: FloatArray) -> IntArray:
    """Return the indices of the lowest, highest and a non-finite value per stretch, ascending."""
    n = values.size
    if n <= 3 * BUCKETS:
        return np.arange(n, dtype=np.int64)
    width = -(-n // BUCKETS)
    whole = n // width * width
    rows = values[:whole].reshape(-1, width)
    last = values[whole:].reshape(1, -1)
    parts = [_marked(rows, 0), _marked(last, whole)] if last.size else [_marked(rows, 0)]
    return np.unique(np.concatenate(parts))


def _marked(rows: FloatArray, offset: int) -> IntArray:
    """Return the places of the lowest, the highest and the first non-finite value of each row."""
    first = offset + rows.shape[1] * np.arange(len(rows), dtype=np.int64)
    finite = np.isfinite(rows)
    if finite.all():
        return np.concatenate((first + rows.argmin(axis=1), first + rows.argmax(axis=1)))
    some, gaps = finite.any(axis=1), ~finite.all(axis=1)
    lowest = np.where(finite, rows, np.inf).argmin(axis=1)
    highest = np.where(finite, rows, -np.inf).argmax(axis=1)
    broken = finite.argmin(axis=1)
    return np.concatenate(((first + lowest)[some], (first + highest)[some], (first + broken)[gaps]))
