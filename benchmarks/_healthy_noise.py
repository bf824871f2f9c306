"""The noises a healthy loss curve may carry, as logarithms of factors or as a change of the log."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Final

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]
Noise = Callable[[np.random.Generator, int, float], FloatArray]

# A wander is slow: its memory is a thirtieth of the run; its size is that of the noise of the
# points, at most a tenth of the level: a level that swings by more is no healthy one.
WANDER_SHARE: Final = 30
WANDER_MAX: Final = 0.1
# A point nine times above or below its level is as far as noise goes: beyond, it is an event.
MOST: Final = float(np.log(9.0))
MEMORY: Final = 0.6
WINDOW: Final = 20  # points whose mean is logged
SWELL: Final = 0.8  # of the logarithm of the noise's size, where that varies
BF16_BITS: Final = 8  # of the mantissa, the hidden one included


def gaussian(rng: np.random.Generator, n: int, sigma: float) -> FloatArray:
    """Return white Gaussian noise."""
    return sigma * rng.standard_normal(n)


def laplace(rng: np.random.Generator, n: int, sigma: float) -> FloatArray:
    """Return noise with exponential tails."""
    return sigma * rng.laplace(size=n) / math.sqrt(2.0)


def student(freedom: int) -> Noise:
    """Return noise with tails that fall like a power: the higher `freedom`, the lighter."""

    def draw(rng: np.random.Generator, n: int, sigma: float) -> FloatArray:
        return sigma * rng.standard_t(freedom, n) / math.sqrt(freedom / (freedom - 2.0))

    return draw


def lognormal(rng: np.random.Generator, n: int, sigma: float) -> FloatArray:
    """Return skewed noise: upwards farther than downwards."""
    skewed = rng.lognormal(0.0, 0.5, n)
    return sigma * (skewed - math.exp(0.125)) / math.sqrt(math.exp(0.25) * (math.exp(0.25) - 1.0))


def additive(rng: np.random.Generator, n: int, sigma: float) -> FloatArray:
    """Return the logarithm of noise that multiplies the loss itself, skewed as batches are."""
    shape = 1.0 / max(sigma, 1e-3) ** 2
    return np.log(rng.gamma(shape, 1.0 / shape, n))


def autoregressive(rng: np.random.Generator, n: int, sigma: float) -> FloatArray:
    """Return noise in which each point remembers the one before."""
    return sigma * _remembering(rng, n, MEMORY)


def random_walk(rng: np.random.Generator, n: int, sigma: float) -> FloatArray:
    """Return white noise on a level that wanders slowly, as a mixture of data does."""
    slow = _remembering(rng, n, 1.0 - WANDER_SHARE / max(n, 2 * WANDER_SHARE))
    return gaussian(rng, n, sigma) + min(sigma, WANDER_MAX) * slow


def heteroscedastic(rng: np.random.Generator, n: int, sigma: float) -> FloatArray:
    """Return noise whose size swells and shrinks slowly."""
    slow = _remembering(rng, n, 1.0 - WANDER_SHARE / max(n, 2 * WANDER_SHARE))
    return gaussian(rng, n, sigma) * np.exp(SWELL * (slow - 1.0))


def window_mean(rng: np.random.Generator, n: int, sigma: float) -> FloatArray:
    """Return noise of means over the last points, as running means are logged."""
    white = rng.standard_normal(n + WINDOW - 1)
    total = np.cumsum(np.concatenate([np.zeros(1), white]))
    means: FloatArray = (total[WINDOW:] - total[:-WINDOW]) / math.sqrt(WINDOW)
    return sigma * means


def bf16(values: FloatArray) -> FloatArray:
    """Return `values` as a log in bfloat16 has them."""
    mantissa, exponent = np.frexp(values)
    scale = float(2**BF16_BITS)
    return np.asarray(np.ldexp(np.round(mantissa * scale) / scale, exponent))


def _remembering(rng: np.random.Generator, n: int, memory: float) -> FloatArray:
    """Return a first-order autoregression with standard deviation one."""
    from scipy.signal import lfilter

    white = rng.standard_normal(n)
    white[0] /= np.sqrt(1.0 - memory**2)
    return np.asarray(lfilter([np.sqrt(1.0 - memory**2)], [1.0, -memory], white))


NOISES: Final[dict[str, Noise]] = {
    "Gaussian": gaussian,
    "Laplace": laplace,
    "Student t5": student(5),
    "Student t3": student(3),
    "lognormal": lognormal,
    "multiplicative": additive,
    "autoregressive": autoregressive,
    "random walk": random_walk,
    "heteroscedastic": heteroscedastic,
    "window means": window_mean,
    "bf16 grid": gaussian,  # the grid is laid over the finished curve
}
