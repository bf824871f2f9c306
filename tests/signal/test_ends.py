"""The levels at which a curve begins and ends."""

from __future__ import annotations

import numpy as np
import pytest

from spikedoc.signal.ends import ends


@pytest.mark.parametrize("values", [[], [1.0], [3.0, 2.0, 1.0]])
def test_fewer_than_four_have_no_ends(values: list[float]) -> None:
    assert ends(np.array(values)) is None


@pytest.mark.parametrize(
    ("values", "first", "last"),
    [
        ([4.0, 9.0, 9.0, 1.0], 4.0, 1.0),
        ([4.0, 9.0, 9.0, 9.0, 9.0, 9.0, 1.0], 4.0, 1.0),  # a quarter of seven is one
        ([5.0, 3.0, 9.0, 9.0, 9.0, 9.0, 2.0, 1.0], 4.0, 1.5),
        ([5.0, 3.0, 100.0, *[9.0] * 6, 0.0, 1.0, 2.0], 5.0, 1.0),
    ],
)
def test_they_are_medians_of_quarters(values: list[float], first: float, last: float) -> None:
    assert ends(np.array(values)) == (first, last)
