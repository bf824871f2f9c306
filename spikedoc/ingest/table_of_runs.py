"""Tables with a row for each run of a search: settings that change from row to row, no course."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

import numpy as np

from spikedoc.ingest.notes import TABLE_OF_RUNS
from spikedoc.model.metric import Metric
from spikedoc.model.run import FloatArray, Series
from spikedoc.signal.trend import kendall_tau
from spikedoc.text import Text

FEWEST_ROWS: Final = 6
MOST_ROWS: Final = 2_000
# A setting hops where it changes by more than 30 %: no schedule does so in two rows of five …
HOP: Final = float(np.log(1.3))
HOPS_SHARE: Final = 0.4
# … in either direction …
EACH_WAY_SHARE: Final = 0.1
# … and against the row before the last one, and the one before: groups of parameters written in
# turn come back to their value.
LAGS: Final = (1, 2, 3, 4)
# Of a grid the rate changes at every tenth row, say, while the size of the batch goes round.
GRID_SHARE: Final = 0.1
GRID_FEWEST: Final = 3
# The losses of a training fall from row to row, at whatever rate they were logged: by more than
# three standard deviations of what chance makes of so many rows.
COURSE_TAU: Final = 0.3
COURSE_SIGMAS: Final = 3.0


def without_course(series: Sequence[Series]) -> tuple[tuple[Series, ...], tuple[Text, ...]]:
    """Return the series; those of a table of runs in no role, with a note.

    Nothing is said of the course of a loss that has none.
    """
    if not _is_table_of_runs(series):
        return tuple(series), ()
    plain = tuple(
        replace(s, metric=Metric.OTHER, name=f"{Metric.OTHER.value}:{s.tag}") for s in series
    )
    return plain, (TABLE_OF_RUNS,)


def _is_table_of_runs(series: Sequence[Series]) -> bool:
    rate = _first(series, Metric.LR)
    if rate is None or not FEWEST_ROWS <= len(rate) <= MOST_ROWS:
        return False
    if not bool(np.all(np.diff(rate.steps) == 1)) or rate.steps[0] > 1:
        return False
    if any(_has_course(s) for s in series if s.metric in (Metric.LOSS, Metric.VAL_LOSS)):
        return False
    if _hops_both_ways(rate.values, LAGS):
        return True
    batch = _first(series, Metric.BATCH_SIZE)
    hops = int(np.count_nonzero(np.abs(_changes(rate.values, 1)) > HOP))
    on_grid = hops >= max(GRID_FEWEST, GRID_SHARE * len(rate))
    return on_grid and batch is not None and _hops_both_ways(batch.values, LAGS[:1])


def _first(series: Sequence[Series], metric: Metric) -> Series | None:
    return next((s for s in series if s.metric is metric), None)


def _has_course(series: Series) -> bool:
    values = series.finite()[1]
    n = values.size
    if n < FEWEST_ROWS:
        return False
    chance = float(np.sqrt(2 * (2 * n + 5) / (9 * n * (n - 1))))
    return kendall_tau(values) <= -max(COURSE_TAU, COURSE_SIGMAS * chance)


def _changes(values: FloatArray, lag: int) -> FloatArray:
    """Return the logs of the factors between rows; where there is none, no change."""
    with np.errstate(divide="ignore", invalid="ignore"):
        logs = np.log(values)
        return np.asarray(np.nan_to_num(logs[lag:] - logs[:-lag], posinf=0.0, neginf=0.0))


def _hops_both_ways(values: FloatArray, lags: Sequence[int]) -> bool:
    """Return whether values hop against the row that many rows before, whichever of the lags."""
    return all(
        float(np.mean(np.abs(change) > HOP)) >= HOPS_SHARE and _each_way(change)
        for change in (_changes(values, lag) for lag in lags)
    )


def _each_way(change: FloatArray) -> bool:
    return bool(min(float(np.mean(change > HOP)), float(np.mean(change < -HOP))) >= EACH_WAY_SHARE)
