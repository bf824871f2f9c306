"""The term of the loss that carries its noise."""

from __future__ import annotations

import math
from itertools import pairwise

import naive
import numpy as np
import pytest
import synth
from told import Told, assert_told

from spikedoc.detectors.components import detect
from spikedoc.model.anomaly import Shape
from spikedoc.model.metric import Metric
from spikedoc.model.run import Run, Series


def term(name: str, values: np.ndarray, first: int = 1) -> Series:
    return synth.series(values, Metric.LOSS_COMPONENT, name=name, tag=name, first=first)


def wild(n: int = 500, sigma: float = 0.8) -> np.ndarray:
    return np.exp(synth.noise("gauss", n, sigma, 1))


def calm(n: int = 500) -> np.ndarray:
    return 2.0 * np.exp(synth.noise("gauss", n, 0.02, 2))


def found(*terms: Series) -> list[str]:
    return [d.signal for d in detect(synth.run(*terms))]


def test_the_wild_term_is_named_with_its_share() -> None:
    (d,) = detect(synth.run(term("calm", calm()), term("wild", wild()), term("third", calm())))
    assert (d.shape, d.signal, d.first_step, d.last_step) == (Shape.OUTLIER, "wild", 1, 500)
    assert d.measures["share"] > 0.95
    assert 0.5 < d.measures["relative_noise"] < 2.0


def test_a_term_that_is_only_the_largest_is_none() -> None:
    assert found(term("large", 100.0 * calm()), term("small", calm())) == []


def test_two_wild_terms_share_the_noise() -> None:
    other = np.exp(synth.noise("gauss", 500, 0.8, 3))
    assert found(term("a", wild()), term("b", other)) == []


def test_a_step_between_levels_is_no_noise() -> None:
    step = np.where(np.arange(500) < 250, 1.0, 50.0) * np.exp(synth.noise("gauss", 500, 0.01, 4))
    assert found(term("a", step), term("b", 0.001 * calm())) == []


def test_terms_are_compared_at_the_steps_they_share() -> None:
    assert found(term("a", wild()), term("b", calm(), first=200)) == ["a"]
    assert found(term("a", wild()), term("b", calm(), first=450)) == []


def test_nan_in_one_of_them_is_left_out() -> None:
    holes = calm()
    holes[::3] = np.nan
    assert found(term("a", wild()), term("b", holes)) == ["a"]
    assert found(term("a", wild()), term("b", np.full(500, np.nan))) == []


def test_a_wild_term_around_zero_has_no_level() -> None:
    signs = synth.noise("gauss", 501, 1.0, 5)
    signs[0] = 0.0
    assert found(term("a", signs - np.median(signs)), term("b", 0.01 * calm(501))) == ["a"]


@pytest.mark.parametrize("n", [50, 500])
def test_constants_have_no_noise(n: int) -> None:
    assert found(term("a", np.ones(n)), term("b", np.ones(n))) == []


def test_one_term_dominates_nothing() -> None:
    assert found(term("a", wild())) == []
    assert detect(Run("bare", "bare", ())) == ()


def plain_dominant(rows: list[list[float]]) -> tuple[int, dict[str, float]] | None:
    """The term with nine tenths of the squared changes, six medians at most each, if they are half
    of its level."""
    usable = [i for i in range(len(rows[0])) if all(math.isfinite(row[i]) for row in rows)]
    if len(rows) < 2 or len(usable) < 100:
        return None
    noise = []
    for row in rows:
        values = [row[i] for i in usable]
        changes = [abs(b - a) for a, b in pairwise(values)]
        limit = 6.0 * naive.median(changes)
        noise.append(naive.mean([min(c, limit) ** 2 for c in changes]) / 2.0)
    best = max(range(len(rows)), key=noise.__getitem__)
    if sum(noise) <= 0 or noise[best] < 0.9 * sum(noise):
        return None
    level = abs(naive.median([rows[best][i] for i in usable]))
    relative = noise[best] ** 0.5 / level if level else math.inf
    measures = {"share": noise[best] / sum(noise), "relative_noise": min(relative, 1e6)}
    return (best, measures) if relative >= 0.5 else None


@pytest.mark.parametrize("block", range(10))
def test_a_term_dominates_where_the_definition_says(block: int) -> None:
    for seed in range(30 * block, 30 * block + 30):
        rng = np.random.default_rng(seed)
        n, count = int(rng.choice([99, 100, 101, 160])), int(rng.choice([1, 2, 3]))
        sizes = rng.choice([0.0, 0.05, 0.33, 0.5, 0.6, 1.0], count)
        rows = rng.choice([0.0, 1.0], (count, 1)) + sizes[:, None] * rng.normal(size=(count, n))
        rows[rng.integers(0, count), rng.integers(0, n, 5)] += float(rng.choice([0.0, 9.0]))
        if seed % 3 == 0:
            rows[0, int(rng.integers(0, n))] = np.nan
        found = detect(synth.run(*(term(f"t{k}", row) for k, row in enumerate(rows))))
        expected = plain_dominant(rows.tolist())
        if expected is None:
            assert found == ()
        else:
            assert_told(found, [Told(Shape.OUTLIER, (1, 1, n), expected[1])])
            assert found[0].signal == f"t{expected[0]}"
