"""What is next to nothing, in itself or against its own beginning."""

from __future__ import annotations

import numpy as np
import pytest

from spikedoc.signal.vanished import early_level, is_vanished


def test_the_level_is_that_of_the_first_fifth() -> None:
    values = np.array([3.0, 1.0, 2.0, *np.zeros(12)])
    assert early_level(values) == 2.0


@pytest.mark.parametrize(
    ("level", "early", "vanished"),
    [(1e-3, 1.0, True), (1.1e-3, 1.0, False), (9e-8, 0.0, True), (1e-7, 0.0, False)],
)
def test_a_thousandth_or_nothing_at_all(level: float, early: float, vanished: bool) -> None:
    assert is_vanished(level, early) is vanished
