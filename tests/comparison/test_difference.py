"""One quantity in both runs: what is exact, the numbers of each, a constant ratio."""

from __future__ import annotations

import numpy as np
import pytest
from pairs import curve, series, spiked

from spikedoc.comparison.difference import difference
from spikedoc.comparison.result import Alignment, PartingKind, Side
from spikedoc.model.metric import Metric


def test_a_series_with_itself() -> None:
    one = series(curve(1))
    found = difference(one, one)
    assert found.is_identical
    assert found.identical_until == 600
    assert found.first_difference is None
    assert found.parting is None
    assert found.units == 0.0
    assert found.shared_noise == pytest.approx(1.0)
    assert found.constant_ratio is None


def test_the_same_up_to_a_step() -> None:
    a = curve(1)
    b = a.copy()
    b[250:] *= 1 + 1e-7
    found = difference(series(a), series(b))
    assert (found.identical_until, found.first_difference) == (250, 251)
    assert found.first_difference_size == pytest.approx(1e-7, rel=0.01)
    assert found.parting is None
    assert not found.is_identical


def test_other_from_the_first_step_on() -> None:
    found = difference(series(curve(1)), series(curve(2)))
    assert found.identical_until is None
    assert found.first_difference == 1
    assert abs(found.shared_noise or 0.0) < 0.2


def test_nan_equals_nan() -> None:
    a = curve(1)
    a[400:] = np.nan
    found = difference(series(a), series(a.copy()))
    assert found.is_identical
    assert found.parting is None
    assert found.a.nonfinite == 200


def test_nan_in_one_alone_is_the_parting() -> None:
    a = curve(1)
    b = a.copy()
    b[400:] = np.nan
    parting = difference(series(a), series(b)).parting
    assert parting is not None
    assert (parting.kind, parting.step, parting.higher) == (PartingKind.NONFINITE, 401, Side.B)


@pytest.mark.parametrize("factor", [0.25, 1.5, 32.0])
def test_a_constant_ratio_is_told(factor: float) -> None:
    a = curve(1)
    found = difference(series(a), series(factor * a))
    assert found.constant_ratio == pytest.approx(factor)
    assert found.parting is not None
    assert found.parting.step == 1


def test_a_ratio_that_scatters_is_not_constant() -> None:
    assert difference(series(curve(1)), series(5 * curve(2))).constant_ratio is None


@pytest.mark.parametrize("added", [-0.3, 0.05, 2.0])
def test_a_constant_difference_is_told(added: float) -> None:
    a = curve(1)
    found = difference(series(a), series(a + added))
    assert found.constant_ratio is None
    assert found.constant_difference == pytest.approx(added)


def test_no_difference_another_seed_or_a_ratio_is_no_constant_difference() -> None:
    a = curve(1)
    for other in (a, a + 1e-4, curve(2), curve(2) + 1.0, 2.0 * a, np.full(600, 2.0)):
        assert difference(series(a), series(other)).constant_difference is None
    flat = np.full(50, 2.0)
    assert difference(series(flat), series(flat + 1.0)).constant_difference is None


def test_constants() -> None:
    found = difference(series(np.full(50, 2.0)), series(np.full(50, 2.0)))
    assert found.is_identical
    assert found.parting is None
    other = difference(series(np.full(50, 2.0)), series(np.full(50, 3.0)))
    assert other.parting is not None
    assert other.constant_ratio == pytest.approx(1.5)


def test_negative_values_have_no_ratio() -> None:
    rng = np.random.default_rng(0)
    a, b = rng.standard_normal((2, 400))
    b[200:] += 6.0
    found = difference(series(a, Metric.REWARD), series(b, Metric.REWARD))
    assert not found.relative
    assert found.parting is not None
    assert found.parting.higher is Side.B
    assert abs(found.parting.step - 201) <= 20
    assert np.isnan(found.parting.ratio) or found.parting.ratio > 0


def test_a_schedule_is_compared_by_its_values() -> None:
    a = np.linspace(1e-3, 1e-4, 300)
    b = a.copy()
    b[120:] *= 0.5
    found = difference(series(a, Metric.LR), series(b, Metric.LR))
    assert found.parting is not None
    assert (found.parting.kind, found.parting.step) == (PartingKind.VALUE, 121)
    assert found.parting.ratio == pytest.approx(0.5)
    assert np.isnan(found.units)
    printed = difference(series(a, Metric.LR), series(np.round(a, 8), Metric.LR))
    assert printed.parting is None


def test_level_slope_and_noise() -> None:
    t = np.arange(1000)
    rng = np.random.default_rng(3)
    a = 2.0 - 0.001 * t + 0.01 * rng.standard_normal(1000)
    b = 2.0 - 0.0005 * t + 0.02 * rng.standard_normal(1000)
    found = difference(series(a), series(b))
    assert found.a.slope == pytest.approx(-1.0, rel=0.05)
    assert found.b.slope == pytest.approx(-0.5, rel=0.1)
    assert found.a.level == pytest.approx(1.05, abs=0.02)
    assert found.b.level == pytest.approx(1.525, abs=0.02)
    assert 1.0 < found.b.noise / found.a.noise < 2.5


def test_few_points_are_not_judged() -> None:
    found = difference(series(np.array([1.0, 2.0, 3.0])), series(np.array([1.0, 2.0, 9.0])))
    assert found.pairs == 3
    assert found.parting is None
    assert np.isnan(found.units)
    assert (found.identical_until, found.first_difference) == (2, 3)


def test_other_strides_without_a_common_step_are_interpolated() -> None:
    a, b = curve(1, 600), curve(2, 600)
    b[300:] *= 2.0
    odd = series(a[::2], first=1, every=2)
    even = series(b[1::2], first=2, every=2)
    found = difference(odd, even)
    assert found.alignment is Alignment.INTERPOLATED
    assert found.common == 0
    assert found.parting is not None
    assert abs(found.parting.step - 301) <= 30


def test_no_overlap_at_all() -> None:
    found = difference(series(curve(1)), series(curve(2), first=5000))
    assert found.alignment is Alignment.NONE
    assert (found.pairs, found.parting) == (0, None)


def test_a_norm_needs_a_fifth_of_its_level() -> None:
    """Seeds alone make a sixth of it, where its noise is next to nothing."""
    a, b = curve(1, sigma=0.01), 1.15 * curve(2, sigma=0.01)
    assert difference(series(a, Metric.GRAD_NORM), series(b, Metric.GRAD_NORM)).parting is None
    assert difference(series(a), series(b)).parting is not None


def test_a_spike_in_a_norm_alone() -> None:
    found = difference(
        series(spiked(curve(1), 300), Metric.GRAD_NORM), series(curve(2), Metric.GRAD_NORM)
    )
    assert found.parting is not None
    assert found.parting.step == 301


def test_validation_needs_more_than_a_seed_makes() -> None:
    """The same questions each time: hardly any noise, and a level that the seed decides."""
    a, b = curve(1, 60, 0.005), curve(2, 60, 0.005)
    alike = difference(series(a, Metric.VAL_LOSS), series(1.12 * b, Metric.VAL_LOSS))
    assert alike.parting is None
    worse = difference(series(a, Metric.VAL_LOSS), series(1.5 * b, Metric.VAL_LOSS))
    assert worse.parting is not None
    assert worse.parting.higher is Side.B


def test_a_quality_is_judged_by_its_way() -> None:
    rng = np.random.default_rng(0)
    rise = 0.9 - 0.8 * np.exp(-np.arange(60) / 10)
    a, b, c = (rise + 0.002 * rng.standard_normal(60) for _ in range(3))
    alike = difference(series(a, Metric.VAL_METRIC), series(b - 0.03, Metric.VAL_METRIC))
    assert alike.parting is None
    worse = difference(series(a, Metric.VAL_METRIC), series(0.7 * c, Metric.VAL_METRIC))
    assert worse.parting is not None
    assert worse.parting.higher is Side.A


def test_a_skipped_step_of_a_norm_is_no_parting() -> None:
    a, b = curve(1), curve(2)
    b[300] = np.inf
    assert difference(series(a, Metric.GRAD_NORM), series(b, Metric.GRAD_NORM)).parting is None
    b[300:] = np.nan
    parting = difference(series(a, Metric.GRAD_NORM), series(b, Metric.GRAD_NORM)).parting
    assert parting is not None
    assert parting.step == 301
