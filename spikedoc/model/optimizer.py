"""Which optimizer runs, and how high its learning rate goes: by config, tags, or its steps."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from spikedoc.model.metric import Metric
from spikedoc.model.run import Run
from spikedoc.signal.around import correlation, finite, part_medians
from spikedoc.signal.baseline import scatter
from spikedoc.signal.memo import remembered

FloatArray = NDArray[np.float64]

# Optimizers that a learning-rate tag may name, as in Lightning's `lr-Adam`; longer names first.
TAGGED: Final = ("adamw", "adam", "sgd", "rmsprop", "adagrad", "adafactor", "lamb", "lion")


SGD: Final = "sgd"
# Below this no usual setup of SGD learns; the usual range is 1e-2 to 1e-1 with momentum.
SGD_LOW: Final = 1e-3
# A step of Adam moves a weight by the rate at most, one of SGD with momentum by less: ten thousand
# of them at this rate move it by a thousandth. Preference tuning, the gentlest, takes 5e-7.
STANDING_LR: Final = 1e-7
# Plain SGD moves by exactly lr x grad_norm.
PLAIN_RATIO: Final = 0.02
# Adam's step does not follow the size of the gradient: over blocks of the run the gradient changes
# twofold and more, the step over the learning rate does not correlate with it. Measured on 60
# trainings: never so with SGD, whose correlation was .87 and more.
BLOCKS: Final = 30
POINTS_FEWEST: Final = 120
GRADIENT_RANGE: Final = 0.7
STEP_CORRELATION: Final = 0.5
STEP_RATIO: Final = 4.0


def optimizer_name(run: Run) -> str | None:
    """Return the optimizer's name in lower case, or None when nothing tells.

    Config first, then tags (`lr-Adam`, moments), then how updates relate to gradients.
    """
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
    return _optimizer_by_steps(run)


@remembered
def _optimizer_by_steps(run: Run) -> str | None:
    found = _steps_and_gradients(run)
    if found is None:
        return None
    taken, gradients = found
    ratio = taken - gradients
    if abs(float(np.median(ratio))) < PLAIN_RATIO and scatter(ratio) < PLAIN_RATIO:
        return "sgd (update_norm = lr x grad_norm)"
    levels = part_medians(gradients, BLOCKS)
    follows = correlation(levels, part_medians(taken, BLOCKS))
    steady = follows < STEP_CORRELATION and float(np.median(ratio)) > np.log(STEP_RATIO)
    if steady and float(np.ptp(levels)) >= GRADIENT_RANGE:
        return "adam (update_norm / lr != c x grad_norm)"
    return None


def _steps_and_gradients(run: Run) -> tuple[FloatArray, FloatArray] | None:
    """Return the logs of update_norm / lr and of grad_norm where all three were logged."""
    logged = [run.get(metric) for metric in (Metric.UPDATE_NORM, Metric.GRAD_NORM, Metric.LR)]
    update, gradient, rate = logged
    if update is None or gradient is None or rate is None or len(rate) == 0:
        return None
    steps, a, b = np.intersect1d(
        update.steps, gradient.steps, assume_unique=True, return_indices=True
    )
    at = np.maximum(np.searchsorted(rate.steps, steps, side="right") - 1, 0)
    values = update.values[a], gradient.values[b], rate.values[at]
    good = np.logical_and.reduce([np.isfinite(v) & (v > 0) for v in values])
    if np.count_nonzero(good) < POINTS_FEWEST:
        return None
    taken, size, speed = (np.log(v[good]) for v in values)
    return taken - speed, size


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


def is_sgd(name: str | None) -> bool:
    """Return whether this is stochastic gradient descent, with momentum or without."""
    return name is not None and SGD in name


def is_slow_sgd(run: Run) -> bool:
    """Return whether SGD runs at a rate, 1e-3 at most, at which nothing is learned from scratch."""
    rate = largest_lr(run)
    return rate is not None and rate < SGD_LOW and is_sgd(optimizer_name(run))


def is_standing_rate(run: Run) -> bool:
    """Return whether the rate is so low throughout that no usual optimizer gets anywhere.

    A highest rate of 0 is none: it may have been printed with too few decimals.
    """
    rate = largest_lr(run)
    return rate is not None and 0.0 < rate < STANDING_LR
