from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from spikedoc.signal.gap import FEWEST, parted_from

TAILS: dict[str, Callable[[np.random.Generator, int], np.ndarray]] = {
    "log-normal": lambda rng, n: 0.6 * rng.normal(size=n),
    "wide log-normal": lambda rng, n: 2.0 * rng.normal(size=n),
    "gamma": lambda rng, n: np.log(rng.gamma(0.5, size=n) + 1e-9),
    "pareto": lambda rng, n: rng.exponential(1 / 3, size=n),
    "cross-entropy": lambda rng, n: np.log(np.log1p(np.exp(-rng.normal(3, 2, size=n)))),
}


@pytest.mark.parametrize("tail", TAILS.values(), ids=TAILS)
@pytest.mark.parametrize("n", [32, 400, 3000])
def test_a_tail_is_rarely_parted(tail: Callable[..., np.ndarray], n: int) -> None:
    rng = np.random.default_rng(n)
    parted = sum(math.isfinite(parted_from(tail(rng, n))) for _ in range(100))
    assert parted <= 5


@pytest.mark.parametrize("outliers", [1, 5, 30])
def test_what_a_gap_parts_is_found_however_many(outliers: int) -> None:
    rng = np.random.default_rng(1)
    values = 0.3 * rng.normal(size=400)
    values[:outliers] = 4.0 + 0.05 * np.arange(outliers)
    assert parted_from(values) == 4.0


def test_more_than_a_tenth_is_no_exception() -> None:
    values = 0.3 * np.random.default_rng(2).normal(size=400)
    values[:60] = 6.0 + np.arange(60) / 1000
    assert parted_from(values) == math.inf


def test_too_few_are_never_parted() -> None:
    values = np.zeros(FEWEST - 1)
    values[0] = 1e9
    assert parted_from(values) == math.inf
    assert parted_from(np.append(values, 0.0)) == 1e9


@given(arrays(np.float64, st.integers(0, 60), elements=st.floats(-1e300, 1e300)))
def test_it_is_one_of_the_upper_values_or_infinite(values: np.ndarray) -> None:
    with np.errstate(over="ignore"):
        found = parted_from(values)
    assert found == math.inf or np.sum(values >= found) <= max(1, values.size // 10)


def plain_parted(values: list[float]) -> float:
    """The widest of the spacings of the upper tenth, each times its rank, against chance."""
    n = len(values)
    if n < 16:
        return math.inf
    low, high = (float(np.quantile(values, q)) for q in (0.5, 0.9))
    usual = max((high - low) / math.log(5.0), 0.02)  # of an exponential tail between the two
    most = max(1, n // 10)
    top = sorted(values, reverse=True)
    widths = [rank * (top[rank - 1] - top[rank]) / usual for rank in range(1, most + 1)]
    widest = widths.index(max(widths))
    return top[widest] if widths[widest] > math.log(most / 0.01) else math.inf


@pytest.mark.parametrize("n", [15, 16, 19, 20, 29, 30, 31, 95, 100, 400])
@pytest.mark.parametrize("seed", range(12))
def test_the_gap_is_that_of_the_definition(n: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    values = rng.exponential(rng.choice([0.001, 1.0]), n)
    values[: max(1, n // int(rng.choice([8, 12, 40])))] += rng.choice([0.0, 0.1, 4.0, 9.0])
    found = parted_from(values)
    assert found == plain_parted(values.tolist())


def test_the_chance_is_one_in_a_hundred() -> None:
    """Of sixteen values one may be parted, by ln 100 = 4.605 spacings; theirs are .02 at least."""
    for gap, parted in ((4.61 * 0.02, True), (4.60 * 0.02, False)):
        values = np.zeros(16)
        values[3] = gap
        assert math.isfinite(parted_from(values)) is parted
