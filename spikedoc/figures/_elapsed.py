"""How long a stretch of training took."""

from __future__ import annotations

import math
import re
from typing import Final

import numpy as np

from spikedoc.model.metric import Metric
from spikedoc.model.run import Run, Series

# Words of a tag that say that its unit is the second: many logs give milliseconds, or no unit.
IN_SECONDS: Final = frozenset({"s", "sec", "secs", "second", "seconds"})
# Printed logs come with seconds under this name: their profiles convert.
CONVERTED: Final = "step_time"


def elapsed_seconds(run: Run, first: int, last: int) -> float | None:
    """Return the seconds spent training from step `first` to step `last`; None when not logged.

    Taken from the clock times of the main loss, or of the longest series that has them, without the
    time between a stop and the restart that followed it; else from the logged seconds per step.
    """
    clocked = [s for s in (run.main_loss, *_by_length(run)) if s is not None and len(s) > 1]
    series = next((s for s in clocked if s.wall_times is not None), None)
    seconds = None if series is None else _on_the_clock(run, series, first, last)
    return seconds if seconds is not None else _by_step_time(run, first, last)


def _by_length(run: Run) -> list[Series]:
    return sorted(run.series, key=len, reverse=True)


def _on_the_clock(run: Run, series: Series, first: int, last: int) -> float | None:
    times = series.wall_times
    lo = max(0, int(np.searchsorted(series.steps, first, side="right")) - 1)
    hi = int(np.searchsorted(series.steps, last, side="right"))
    if times is None or hi - lo < 2:
        return None
    steps, taken = series.steps[lo:hi], np.diff(times[lo:hi])
    spans = [(steps[:-1] < r.step) & (steps[1:] >= r.step) for r in run.restarts]
    paused = np.logical_or.reduce(spans) if spans else np.zeros(taken.size, dtype=bool)
    usable = np.isfinite(taken) & (taken >= 0) & ~paused
    seconds = float(taken[usable].sum())
    return seconds if math.isfinite(seconds) and seconds > 0 else None


def _by_step_time(run: Run, first: int, last: int) -> float | None:
    series = run.get(Metric.STEP_TIME)
    if series is None or last <= first or not _is_in_seconds(run, series):
        return None
    inside = series.window(first, last)
    inside = inside[np.isfinite(inside) & (inside > 0)]
    seconds = float(np.mean(inside)) * (last - first) if inside.size else math.nan
    return seconds if math.isfinite(seconds) else None


def _is_in_seconds(run: Run, series: Series) -> bool:
    printed = any(s.reader == "text" and s.path == series.source for s in run.sources)
    words = re.split(r"[^a-z]+", series.tag.lower())
    return (printed and series.tag == CONVERTED) or not IN_SECONDS.isdisjoint(words)
