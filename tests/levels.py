"""Curves whose levels and scatters are known exactly, for tests that stand on a threshold."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

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


def alike(ask: Callable[..., Any], scaled: tuple[str, ...], *args: Any, **parts: Any) -> Any:
    """Return what `ask` answers, having asked once more with some series four times as large.

    Where only ratios count that changes nothing, and four times a double is exact: what stands on
    a threshold still does.
    """
    found = ask(*args, **parts)
    larger = {name: _fourfold(part) if name in scaled else part for name, part in parts.items()}
    assert ask(*args, **larger).verdict is found.verdict
    return found


def _fourfold(part: Any) -> Any:
    if isinstance(part, dict):
        return {name: _fourfold(values) for name, values in part.items()}
    if isinstance(part, tuple):
        steps, values = part
        return steps, 4.0 * np.asarray(values)
    return 4.0 * np.asarray(part)
