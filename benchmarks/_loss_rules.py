"""Rules that watch a loss curve during training, each in a few lines, at their defaults.

Every one takes the losses of a whole run and returns a mask of the steps at which it would have
spoken, having seen only what came before.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]
Mask = NDArray[np.bool_]

# OLMo 2 (arXiv:2501.00656) counts values at least 7 standard deviations away from the average of
# the last 1000. From when on it counts is not said; a tenth of the window is taken.
SCORE_WINDOW: Final = 1000
SCORE_SIGMA: Final = 7.0
SCORE_LEAST: Final = 100
# OLMo-core, `SkipStepOptimizer`: rolling_interval_length and sigma_factor; from half a window on.
SKIP_WINDOW: Final = 128
SKIP_SIGMA: Final = 6.0
# LLM Foundry, `KillLossSpike`: 5 losses in a row (patience 4) of twice the mean of a twentieth of
# the run, at least 100; or half of such a window above the highest loss of the first, at most 10.
KILL_PATIENCE: Final = 4
KILL_FACTOR: Final = 2.0
KILL_LEAST: Final = 100
KILL_FRACTION: Final = 0.05
KILL_CAP: Final = 10.0
# A guard found in training guides: ten losses in a row of three times the lowest so far.
GUARD_FACTOR: Final = 3.0
GUARD_STREAK: Final = 10


def spike_score(loss: FloatArray) -> Mask:
    """OLMo 2's spike score: steps that count as spikes."""
    mean, spread = _before(loss, SCORE_WINDOW, SCORE_LEAST)
    return np.abs(loss - mean) >= SCORE_SIGMA * spread


def skip_step(loss: FloatArray) -> Mask:
    """OLMo-core's optimizer: steps whose update would have been skipped for their loss."""
    mean, spread = _before(loss, SKIP_WINDOW, SKIP_WINDOW // 2 - 1)
    return loss - mean > SKIP_SIGMA * spread


def kill_loss_spike(loss: FloatArray) -> Mask:
    """LLM Foundry's callback: steps at which it would have stopped the run, had it been let."""
    window = max(KILL_LEAST, round(KILL_FRACTION * loss.size))
    mean, _ = _before(loss, window, window)
    spoke = _streak(loss >= KILL_FACTOR * mean, KILL_PATIENCE + 1)
    cap = min(float(loss[:window].max()), KILL_CAP)
    high = np.zeros(loss.size, dtype=np.bool_)
    counts = sliding_window_view(loss > cap, window).sum(axis=1)[:-1]
    high[window:] = counts >= window / 2
    high[: 2 * window] = False
    return spoke | high


def guard(loss: FloatArray) -> Mask:
    """The guard at three times the lowest loss."""
    lowest = np.minimum.accumulate(loss)
    return _streak(loss > GUARD_FACTOR * lowest, GUARD_STREAK)


def _before(loss: FloatArray, window: int, least: int) -> tuple[FloatArray, FloatArray]:
    """Return mean and standard deviation of up to `window` losses before each, NaN for too few."""
    mean, spread = np.full(loss.size, np.nan), np.full(loss.size, np.nan)
    ends = np.arange(max(least, 2), loss.size)
    starts = np.maximum(ends - window, 0)
    counts = ends - starts
    # Around a typical value, so that the sums of squares do not drown the spread.
    centred = loss - np.median(loss)
    sums = np.concatenate([[0.0], np.cumsum(centred)])
    squares = np.concatenate([[0.0], np.cumsum(centred**2)])
    total = sums[ends] - sums[starts]
    variance = (squares[ends] - squares[starts] - total**2 / counts) / (counts - 1)
    mean[ends] = total / counts + np.median(loss)
    spread[ends] = np.sqrt(np.maximum(variance, 0.0))
    return mean, spread


def _streak(mask: Mask, length: int) -> Mask:
    """Return where the last `length` values of `mask` are all true."""
    out = np.zeros(mask.size, dtype=np.bool_)
    if mask.size >= length:
        out[length - 1 :] = sliding_window_view(mask, length).all(axis=1)
    return out


RULES: Final[Mapping[str, Callable[[FloatArray], Mask]]] = {
    "OLMo 2 spike score (7σ of 1000)": spike_score,
    "OLMo-core skip step (6σ of 128)": skip_step,
    "LLM Foundry KillLossSpike (5 × 2 of mean)": kill_loss_spike,
    "guard (10 × 3 of lowest)": guard,
}
