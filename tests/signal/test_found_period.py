from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from spikedoc.signal.fold import Fold, fold
from spikedoc.signal.found_period import found_period, is_comb, repeats
from spikedoc.signal.periodicity import candidate_periods
from spikedoc.signal.view import View, view

FOLD = Fold(50.0, 8, 0.5, 0.95, np.zeros(3), 1.0, 1, 1.0, 9.0, 0.97)


@pytest.mark.parametrize(
    ("least", "told"),
    [
        ({"eta2": 0.15, "rho": 0.90, "peak_gap": 0.0}, repeats),
        ({"eta2": 0.12, "rho": 0.5, "consistency": 0.85, "peak_gap": 6.0}, repeats),
        ({"eta2": 0.05, "rho": 0.6, "cycles": 8, "consistency": 0.95, "peak_gap": 8.0}, is_comb),
    ],
)
def test_each_number_of_a_fold_has_its_least(
    least: dict[str, float], told: Callable[[Fold], bool]
) -> None:
    """With all of them at their least it is a pattern, with any of them a hair below it is not."""
    assert told(replace(FOLD, **least))
    for name, value in least.items():
        below = value - 1 if name == "cycles" else float(np.nextafter(value, -1.0))
        if value:
            assert not told(replace(FOLD, **least | {name: below}))


def plain_found(seen: View) -> Fold | None:
    """Of the likely periods the one that explains most, a quarter at least or a comb; or a half to
    a fifth of it that explains four fifths as much; each a little beside itself where that explains
    more."""
    folds = [fold(seen.judged, seen.steps, p) for p in candidate_periods(seen.judged, seen.stride)]
    kept = [f for f in folds if f and ((repeats(f) and f.eta2 >= 0.25) or is_comb(f))]
    if not kept:
        return None
    best = plain_beside(seen, max(kept, key=lambda f: f.eta2))
    for part in (5, 4, 3, 2):
        shorter = fold(seen.judged, seen.steps, best.period / part)
        if shorter and shorter.eta2 >= 0.8 * best.eta2 and repeats(shorter):
            return plain_beside(seen, shorter)
    return plain_beside(seen, best)


def plain_beside(seen: View, best: Fold) -> Fold:
    """Of eight periods around one, half a period apart at the end in all, the best by 2 %."""
    found = best
    for part in (-0.5, -0.375, -0.25, -0.125, 0.125, 0.25, 0.375, 0.5):
        other = fold(seen.judged, seen.steps, best.period * (1 + part / best.cycles))
        enough = other is not None and other.eta2 >= 1.02 * best.eta2 and repeats(other)
        if other is not None and enough and other.eta2 > found.eta2:
            found = other
    return found


@pytest.mark.parametrize("block", range(4))
def test_the_period_found_is_that_of_the_definition(block: int) -> None:
    told = 0
    for seed in range(10 * block, 10 * block + 10):
        rng = np.random.default_rng(seed)
        n, points = int(rng.choice([200, 400, 700])), int(rng.choice([9, 20, 40]))
        t = np.arange(n)
        logs = 0.1 * rng.normal(size=n)
        size = float(rng.choice([0.0, 0.25, 0.6]))
        logs += size * ((t % points) / points if seed % 2 else t % points < 2)
        seen = view(3 * t, np.exp(logs))
        found, plain = found_period(seen), plain_found(seen)
        assert (found is None) == (plain is None)
        if found is not None and plain is not None:
            told += 1
            assert found.period == pytest.approx(plain.period)
            assert found.eta2 == pytest.approx(plain.eta2)
    assert told >= 1


def test_a_pattern_is_found_at_its_own_period() -> None:
    t = np.arange(1000)
    logs = 0.3 * (t % 25 < 3) + 0.05 * np.random.default_rng(1).normal(size=t.size)
    found = found_period(view(10 * t, np.exp(logs)))
    assert found is not None
    assert found.period == pytest.approx(250.0, rel=0.01)


def test_noise_has_no_period() -> None:
    for seed in range(20):
        noise = np.random.default_rng(seed).normal(size=600)
        assert found_period(view(np.arange(600), np.exp(0.1 * noise))) is None
