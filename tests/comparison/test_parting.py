"""Where two series part: exact steps on made pairs, silence where seed and noise alone differ."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pairs import curve, series, spiked

from spikedoc.comparison.difference import difference
from spikedoc.comparison.pairing import paired
from spikedoc.comparison.parting import (
    TRAINING,
    episodes,
    level_parting,
    needed_units,
    nonfinite_parting,
    point_partings,
    ruler,
)
from spikedoc.comparison.result import Parting, PartingKind, Side


def level(a: np.ndarray, b: np.ndarray) -> Parting | None:
    pairs = paired(series(a), series(b))
    return level_parting(pairs, ruler(pairs, 0.0, TRAINING))


@pytest.mark.parametrize(
    ("at", "factor"), [(60, 1.4), (60, 3.0), (200, 1.4), (400, 1.4), (400, 3.0), (540, 3.0)]
)
def test_a_level_that_parts_is_placed(at: int, factor: float) -> None:
    a, b = curve(1), curve(2)
    b[at:] *= factor
    found = level(a, b)
    assert found is not None
    assert found.kind is PartingKind.LEVEL
    assert found.higher is Side.B
    assert abs(found.step - (at + 1)) <= 25
    assert found.ratio == pytest.approx(factor, rel=0.05)
    assert found.units == pytest.approx(np.log(factor) / 0.1, rel=0.25)


def test_the_other_way_round_is_the_same_with_the_sides_changed() -> None:
    a, b = curve(1), curve(2)
    b[300:] *= 2.0
    one, two = level(a, b), level(b, a)
    assert one is not None
    assert two is not None
    assert (one.step, one.units) == (two.step, pytest.approx(two.units))
    assert (one.higher, two.higher) == (Side.B, Side.A)
    assert one.ratio == pytest.approx(1 / two.ratio)


@pytest.mark.parametrize("memory", [0.0, 0.3, 0.6, 0.9])
@pytest.mark.parametrize("n", [40, 120, 600, 3000])
def test_seeds_alone_do_not_part(n: int, memory: float) -> None:
    """Two per cent of level between seeds; in a long run no pair of noise is called apart."""
    parted = 0
    for seed in range(40):
        a, b = curve(2 * seed, n, 0.1, memory), 1.02 * curve(2 * seed + 1, n, 0.1, memory)
        parted += difference(series(a), series(b)).parting is not None
    assert parted <= (2 if n < 100 else 1 if n < 1000 else 0)


@given(st.floats(0.01, 100.0), st.integers(0, 50))
@settings(max_examples=25, deadline=None)
def test_the_unit_of_the_loss_does_not_matter(factor: float, seed: int) -> None:
    a, b = curve(seed), curve(seed + 1)
    b[250:] *= 1.6
    one, two = level(a, b), level(factor * a, factor * b)
    assert one is not None
    assert two is not None
    assert one.step == two.step
    assert one.units == pytest.approx(two.units, rel=1e-6)


def test_short_logs_need_more() -> None:
    assert needed_units(10_000) == needed_units(625) == 1.0
    assert needed_units(100) == 2.5
    assert needed_units(100, 0.75) == 5.0
    assert needed_units(0) == 25.0


def test_apart_for_a_while_is_an_episode_and_no_parting() -> None:
    a, b = curve(1), curve(2)
    b[200:350] *= 3.0
    pairs = paired(series(a), series(b))
    rule = ruler(pairs, 0.0, TRAINING)
    assert level_parting(pairs, rule) is None
    (found,) = episodes(pairs, rule, None)
    assert found.higher is Side.B
    assert 190 <= found.step <= 255
    assert found.until is not None
    assert 295 <= found.until <= 360
    assert found.ratio == pytest.approx(3.0, rel=0.1)


def test_a_spike_in_one_alone_is_placed_and_one_in_both_is_not() -> None:
    a, b = curve(1), curve(2)
    alone = paired(series(spiked(a, 410)), series(b))
    (found,) = point_partings(alone, ruler(alone, 0.0, TRAINING))
    assert (found.kind, found.step, found.higher, found.until) == (
        PartingKind.POINT, 411, Side.A, 411,
    )  # fmt: skip
    assert found.ratio == pytest.approx(1 / 12, rel=0.5)
    both = paired(series(spiked(a, 410)), series(spiked(b, 410)))
    assert point_partings(both, ruler(both, 0.0, TRAINING)) == ()


def test_a_dip_of_the_other_is_no_spike() -> None:
    pairs = paired(series(curve(1)), series(spiked(curve(2), 410, 1 / 12)))
    assert point_partings(pairs, ruler(pairs, 0.0, TRAINING)) == ()


def test_nan_in_one() -> None:
    steps = np.arange(10, 16)
    fine = np.ones(6)
    broken = np.array([1.0, 1.0, np.nan, np.inf, np.nan, np.nan])
    found = nonfinite_parting(steps, fine, broken)
    assert found is not None
    assert (found.step, found.higher, found.until) == (12, Side.B, None)
    healed = np.array([1.0, np.nan, np.nan, 1.0, 1.0, 1.0])
    found = nonfinite_parting(steps, healed, fine)
    assert found is not None
    assert (found.step, found.higher, found.until) == (11, Side.A, 12)
    assert nonfinite_parting(steps, broken, broken) is None
