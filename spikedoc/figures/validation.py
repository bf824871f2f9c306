"""The best validation result and the checkpoint that holds it."""

from __future__ import annotations

from typing import Final

import numpy as np

from spikedoc.figures.base import Figure
from spikedoc.model.anomaly import Anomaly
from spikedoc.model.metric import Metric
from spikedoc.model.run import Run
from spikedoc.signal.around import finite
from spikedoc.text import FieldValue, Text


def _best(run: Run) -> tuple[int, float] | None:
    """Return step and value of the lowest validation loss."""
    series = run.get(Metric.VAL_LOSS)
    if series is None:
        return None
    steps, values = finite(series.steps, series.values)
    if values.size == 0:
        return None
    at = int(np.argmin(values))
    return int(steps[at]), float(values[at])


def _best_val_step(run: Run, _anomaly: Anomaly) -> FieldValue | None:
    best = _best(run)
    return None if best is None else best[0]


def _best_val_loss(run: Run, _anomaly: Anomaly) -> FieldValue | None:
    best = _best(run)
    return None if best is None else best[1]


def _best_checkpoint(run: Run, _anomaly: Anomaly) -> FieldValue | None:
    best = _best(run)
    known = [c for c in run.checkpoints if c.step is not None]
    if best is None or not known:
        return None
    return min(known, key=lambda c: abs((c.step or 0) - best[0])).path


FIGURES: Final[tuple[Figure, ...]] = (
    Figure(
        "best_val_step",
        Text("step of the best validation loss", "验证损失最低的步数"),
        _best_val_step,
    ),
    Figure("best_val_loss", Text("best validation loss", "最低验证损失"), _best_val_loss),
    Figure(
        "best_checkpoint",
        Text("checkpoint nearest to the best validation loss", "最接近最佳验证损失的检查点"),
        _best_checkpoint,
    ),
)
