"""How far a point stands out, and when two events are the same."""

from __future__ import annotations

import numpy as np
import pytest
from pairs import curve, run, spiked

from spikedoc.comparison.rise import Rise, is_same, rise_at

EVENT = 410  # index; the step is one more


def test_how_far_a_point_stands_out() -> None:
    one = run(spiked(curve(1), EVENT)).series[0]
    found = rise_at(one, 411, 1)
    assert found.step == 411
    assert np.exp(found.rise) == pytest.approx(12.0, rel=0.4)
    assert np.isnan(rise_at(one, 5000, 1).rise)
    assert np.isnan(rise_at(one, 3, 1).rise)  # nothing before it


@pytest.mark.parametrize("value", [1e300, -1e300, 1e20, np.inf, np.nan])
def test_what_is_beyond_all_measure_is_broken(value: float) -> None:
    values = curve(1)
    values[EVENT] = value
    assert np.isinf(rise_at(run(values).series[0], EVENT + 1, 1).rise)


def test_half_as_high_is_the_same() -> None:
    assert is_same(Rise(2.0, 20.0, 1), Rise(1.1, 10.0, 1))
    assert not is_same(Rise(2.0, 20.0, 1), Rise(0.9, 10.0, 1))
    assert not is_same(Rise(2.0, 20.0, 1), Rise(1.1, 3.0, 1))
    assert is_same(Rise(np.inf, np.inf, 1), Rise(np.inf, np.inf, 1))
    assert not is_same(Rise(np.inf, np.inf, 1), Rise(2.0, 50.0, 1))
