"""A run as the plainest table there is, so that a tool is judged by its diagnosis, not its reader.

One row for each step that has a loss; the columns are called what most tools look for: `step`,
`loss`, `val_loss`, `lr`, `grad_norm` … A value logged between two rows goes to the later one: in a
table with rows of its own for the validation, tools that read by rows take the gaps for NaN.
"""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Final

import numpy as np

from spikedoc.model.metric import Metric
from spikedoc.model.run import Run

COLUMNS: Final = (
    Metric.LOSS,
    Metric.VAL_LOSS,
    Metric.LR,
    Metric.GRAD_NORM,
    Metric.UPDATE_NORM,
    Metric.LOSS_SCALE,
    Metric.EPOCH,
    Metric.STEP_TIME,
    Metric.THROUGHPUT,
)


def write_clean(run: Run, path: Path) -> bool:
    """Write the table of `run` to `path`; return False, writing nothing, without a loss."""
    loss = run.main_loss
    if loss is None or not len(loss):
        return False
    columns: dict[str, list[str]] = {"step": [str(step) for step in loss.steps.tolist()]}
    for metric in COLUMNS:
        series = loss if metric is Metric.LOSS else run.get(metric)
        if series is None or (series is loss and metric is not Metric.LOSS):
            continue
        cells = [""] * len(loss)
        rows = np.searchsorted(loss.steps, series.steps, side="left")
        for row, value in zip(rows.tolist(), series.values.tolist(), strict=True):
            if row < len(cells):
                cells[row] = repr(value)
        columns[metric.value] = cells
    with path.open("w", encoding="utf-8", newline="") as file:
        table = csv.writer(file)
        table.writerow(columns)
        table.writerows(zip(*columns.values(), strict=True))
    return True
