import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from spikedoc.signal.excess import SAME, excess


def test_an_excursion_has_a_top_and_an_end() -> None:
    found = excess(np.array([1.0, 1.0, 2.0, 9.0, 4.0, 1.02, 0.9]), 2)
    assert (found.peak, found.end, found.reverted) == (3, 5, True)


def test_a_jump_that_stays_ends_with_the_log() -> None:
    found = excess(np.array([1.0, 5.0, 6.0, 5.0]), 1)
    assert (found.peak, found.end, found.reverted) == (2, 3, False)


@given(st.lists(st.floats(1e-6, 1e3), min_size=3, max_size=30))
def test_nothing_before_the_end_is_back(numbers: list[float]) -> None:
    values = np.array(numbers)
    found = excess(values, 1)
    between = values[1 : found.end]
    assert bool((between > values[0] * (1 + SAME)).all())
    assert values[found.peak] == values[1 : found.end + 1].max()
