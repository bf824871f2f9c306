"""How likely it is that so many of several independent things happen."""

from __future__ import annotations

from typing import Final

import numpy as np

from spikedoc.model.run import FloatArray, IntArray

# Rows done at a time: a few megabytes for hundreds of things.
BLOCK: Final = 512


def at_least(counts: IntArray, odds: FloatArray) -> FloatArray:
    """Return for each row of `odds` the probability that `counts` or more of its things happen.

    A column holds the probabilities of one thing. What is small is as exact as what is large:
    nothing is taken from one.
    """
    found = np.zeros(len(counts))
    for begin in range(0, len(counts), BLOCK):
        part = slice(begin, begin + BLOCK)
        found[part] = _block(counts[part], odds[part])
    return found


def _block(counts: IntArray, odds: FloatArray) -> FloatArray:
    """The last column is "enough happened"; each row begins as far from it as its count."""
    most = int(counts.max())
    states = np.zeros((len(counts), most + 1))
    states[np.arange(len(counts)), most - counts] = 1.0
    for happens in odds.T:
        moved = states[:, :-1] * happens[:, None]
        states[:, :-1] -= moved
        states[:, 1:] += moved
    last: FloatArray = states[:, -1]
    return last
