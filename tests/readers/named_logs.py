"""A small log whose quantities are named in another language, and what must be read of it."""

from __future__ import annotations

from pathlib import Path

from spikedoc.ingest import load_runs
from spikedoc.model.metric import Metric


def check_log(path: Path, header: str, row: str) -> None:
    """Write twenty rows to `path` and compare loss, validation loss and learning rate."""
    lines = (row.format(s=10 * i, t=1 + i / 10, v=2 + i / 10) for i in range(20))
    path.write_text(header + "".join(lines), encoding="utf-8")
    (run,) = load_runs(path)
    for metric, first in ((Metric.LOSS, 1.0), (Metric.VAL_LOSS, 2.0), (Metric.LR, 0.001)):
        series = run.get(metric)
        assert series is not None, metric
        assert series.steps.tolist() == [10 * i for i in range(20)]
        assert series.values[0] == first
