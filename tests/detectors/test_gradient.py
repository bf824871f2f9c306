"""Explosions of the gradient norm."""

from __future__ import annotations

import naive
import numpy as np
import pytest
import synth
from told import Told, assert_told

from spikedoc.detectors.gradient import detect
from spikedoc.model.anomaly import Detection, Shape
from spikedoc.model.metric import Metric


def explosions(values: np.ndarray) -> tuple[Detection, ...]:
    return detect(synth.run(synth.series(values, Metric.GRAD_NORM)))


def calm(n: int = 1000, seed: int = 0) -> np.ndarray:
    return np.exp(synth.noise("gauss", n, 0.3, seed))


def test_an_explosion_for_good() -> None:
    (found,) = detect(synth.gradient_explosion().run)
    assert (found.shape, found.signal) == (Shape.RAMP, "grad_norm")
    m = found.measures
    assert m["before"] == pytest.approx(1.0, abs=0.2)
    assert m["factor"] == pytest.approx(1e4, rel=0.8)
    assert m["peak"] == pytest.approx(m["before"] * m["factor"])
    assert m["back"] == 0.0
    assert found.last_step >= 990


def test_one_that_came_back() -> None:
    values = calm()
    values[500:530] *= 500.0
    (found,) = explosions(values)
    assert (found.first_step, found.last_step) == (
        pytest.approx(501, abs=3), pytest.approx(530, abs=3),
    )  # fmt: skip
    assert found.measures["back"] == 1.0


def test_it_begins_where_the_level_first_rises() -> None:
    values = calm()
    values[600:] *= np.exp(np.minimum(np.arange(400) / 10.0, 8.0))
    (found,) = explosions(values)
    # Tenfold after 23 points, a hundredfold after 46.
    assert found.first_step == pytest.approx(624, abs=8)


@pytest.mark.parametrize("factor", [5.0, 50.0])
def test_less_than_a_hundredfold_is_none(factor: float) -> None:
    values = np.ones(1000)
    values[500:] *= factor
    assert explosions(values) == ()


def test_one_point_is_none() -> None:
    values = calm()
    values[500] *= 1e6
    assert explosions(values) == ()


def test_the_first_points_are_a_warm_up() -> None:
    values = calm()
    values[:10] *= 1e5
    assert explosions(values) == ()


def test_a_norm_of_zero_has_no_factor() -> None:
    values = np.zeros(1000)
    values[500:] = 1.0
    assert explosions(values) == ()


@pytest.mark.parametrize("values", [np.ones(29), -np.ones(500), np.full(500, np.nan)])
def test_what_is_no_gradient_norm_is_left_alone(values: np.ndarray) -> None:
    assert explosions(values) == ()


def test_the_growth_before_it_does_not_hide_it() -> None:
    # Norms fall by a factor of ten during training: what counts is the level before.
    values = calm() * np.linspace(10.0, 1.0, 1000)
    values[900:] *= 1e4
    (found,) = explosions(values)
    assert found.first_step == pytest.approx(901, abs=3)


def plain_explosion(values: list[float]) -> list[Told]:
    """A point a hundred times the median so far, with the median of five around it or near it ten
    times: from where that is up, to where it is so last."""
    n = len(values)
    if n < 30 or min(values) < 0:
        return []
    width = max(10, n // 100)
    blocks = naive.block_medians(values, width)
    so_far = [naive.median(blocks[: max(1, i // width)]) for i in range(n)]
    level = naive.rolling_median(values, 5)
    raised = [up > 10.0 * usual > 0 for up, usual in zip(level, so_far, strict=True)]
    for first in range(20, n):
        near = any(raised[max(0, first - 5) : first + 6])
        if near and values[first] > 100.0 * so_far[first] > 0:
            break
    else:
        return []
    start = first
    while start > 20 and raised[start - 1]:
        start -= 1
    peak = max(range(first, n), key=values.__getitem__)
    last = max((i for i in range(first, n) if raised[i]), default=first)
    measures = {
        "before": so_far[start],
        "peak": values[peak],
        "factor": values[peak] / so_far[start],
        "back": float(last < n - 5),
    }
    return [Told(Shape.RAMP, (start + 1, peak + 1, max(last, peak) + 1), measures)]


@pytest.mark.parametrize("block", range(10))
def test_explosions_are_those_of_the_definition(block: int) -> None:
    for seed in range(60 * block, 60 * block + 60):
        rng = np.random.default_rng(seed)
        n = int(rng.choice([29, 30, 31, 60, 120]))
        values = np.where(rng.random(n) < 0.5, 1.0, rng.choice([0.5, 2.0], n))
        at, length = int(rng.integers(0, n)), int(rng.choice([1, 2, 3, 4, 9, 200]))
        values[at : at + length] = float(rng.choice([9.0, 10.0, 11.0, 50.0, 120.0]))
        for _ in range(2):
            place = min(n - 1, at + int(rng.integers(-9, 10)))
            values[place] = float(rng.choice([100.0, 101.0, 500.0]))
        if seed % 7 == 0:
            values[: int(rng.integers(5, 25))] = 0.0
        assert_told(explosions(values), plain_explosion(values.tolist()))
