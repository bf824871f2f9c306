"""Facts of a run that many probes ask for and that take a pass over a whole series."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from spikedoc.model.run import Run, Series
from spikedoc.signal.memo import remembered, remembered_up_to


@remembered_up_to(16)
def spacing(series: Series) -> float:
    """Return the median distance between logged steps."""
    return series.stride


@remembered
def evaluations(run: Run) -> NDArray[np.int64]:
    """Return the steps at which something was evaluated, ascending."""
    return run.eval_steps


@remembered
def epoch_length(run: Run) -> float | None:
    """Return the steps of an epoch; None when unknown or not a positive finite number."""
    steps = run.steps_per_epoch
    return steps if steps is not None and math.isfinite(steps) and steps > 0 else None
