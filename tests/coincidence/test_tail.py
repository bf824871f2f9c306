"""The probability that so many of several independent things happen."""

from __future__ import annotations

import math
from itertools import product

import numpy as np
import pytest

from spikedoc.coincidence.tail import BLOCK, at_least


def slow(count: int, odds: list[float]) -> float:
    """Return the sum over all ways in which it may come out."""
    ways = [way for way in product((0, 1), repeat=len(odds)) if sum(way) >= count]
    return sum(
        math.prod(p if happens else 1 - p for p, happens in zip(odds, way, strict=True))
        for way in ways
    )


def test_the_same_as_all_ways_counted() -> None:
    rng = np.random.default_rng(5)
    odds = rng.random((BLOCK + 3, 6))
    counts = rng.integers(1, 7, len(odds))
    found = at_least(counts, odds)
    for at in (0, 1, 2, BLOCK - 1, BLOCK, BLOCK + 2):
        assert found[at] == pytest.approx(slow(int(counts[at]), odds[at].tolist()))


def test_what_is_tiny_is_exact() -> None:
    found = at_least(np.array([10]), np.full((1, 10), 1e-4))
    assert found[0] == pytest.approx(1e-40, rel=1e-9)


def test_nothing_happens_for_certain() -> None:
    assert at_least(np.array([2]), np.zeros((1, 5)))[0] == 0.0
    assert at_least(np.array([5]), np.ones((1, 5)))[0] == 1.0
    assert at_least(np.zeros(0, dtype=np.int64), np.zeros((0, 3))).size == 0
