"""Curves whose levels and scatters are known exactly, for tests that stand on a threshold."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def pieces(*parts: tuple[int, float]) -> NDArray[np.float64]:
    """Return constant pieces one after another, each given as (points, value)."""
    return np.concatenate([np.full(points, value, dtype=np.float64) for points, value in parts])


def zigzag(points: int, level: float, by: float) -> NDArray[np.float64]:
    """Return values that alternate between level - by and level + by.

    For an even number of points the median is the level, the robust scatter 1.4826 `by`.
    """
    return level + by * (-1.0) ** np.arange(1, points + 1)
