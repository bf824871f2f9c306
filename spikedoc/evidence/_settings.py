"""What the config or the log's own names say about the setup."""

from __future__ import annotations

from typing import Final

import numpy as np

from spikedoc.model.metric import Metric
from spikedoc.model.run import Run
from spikedoc.signal.around import finite

# Optimizers that a learning-rate tag may name, as in Lightning's `lr-Adam`; longer names first.
TAGGED: Final = ("adamw", "adam", "sgd", "rmsprop", "adagrad", "adafactor", "lamb", "lion")


def optimizer_name(run: Run) -> str | None:
    """Return the optimizer's name in lower case, or None when neither config nor tags hold it."""
    known = run.config.get("optimizer")
    if isinstance(known, str) and known:
        return known.lower()
    for series in run.all(Metric.LR):
        tag = series.tag.lower()
        for name in TAGGED:
            if name in tag:
                return name
    if run.get(Metric.EXP_AVG_SQ_NORM) is not None:
        return "adam"
    return None


def largest_lr(run: Run) -> float | None:
    """Return the highest learning rate logged, else the configured one, else None."""
    series = run.get(Metric.LR)
    if series is not None:
        _, values = finite(series.steps, series.values)
        if values.size:
            return float(np.max(values))
    known = run.config.get("lr")
    if isinstance(known, int | float) and not isinstance(known, bool) and np.isfinite(known):
        return float(known)
    return None
