"""Where a series that rose is up."""

from __future__ import annotations

import numpy as np
import pytest

from spikedoc.signal.arrival import arrival

NOISE = 1 + 0.1 * np.random.default_rng(0).standard_normal(200)


def test_the_largest_of_the_noise_is_no_further_rise() -> None:
    values = np.concatenate([np.geomspace(1.0, 100.0, 50), 100.0 * NOISE])
    assert arrival(values) == pytest.approx(48, abs=4)
    assert int(np.argmax(values)) > 60


def test_a_point_of_its_own_is_the_height() -> None:
    values = NOISE.copy()
    values[100] = 50.0
    assert arrival(values) == 100


@pytest.mark.parametrize("size", [1, 4, 30])
def test_what_still_climbs_is_up_at_its_end(size: int) -> None:
    assert arrival(np.geomspace(1.0, 1e6, size)) == size - 1
