"""Batches from several sets of data, hinges and few digits: no alarm; events in them: found."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
import synth

from spikedoc.classifier.classify import classify
from spikedoc.classifier.mixture import without_mixture
from spikedoc.model.anomaly import Anomaly
from spikedoc.model.label import Kind, Severity
from spikedoc.model.run import FloatArray
from spikedoc.pipeline import detect
from spikedoc.signal.baseline import baseline
from spikedoc.signal.view import view

LENGTHS = (150, 400, 1200, 3000)
SEEDS = range(3)


def alarms(loss: FloatArray) -> list[Anomaly]:
    made = synth.loss_run(loss)
    return [a for a in classify(made, detect(made)) if a.severity is not Severity.INFO]


def language(rng: np.random.Generator, n: int) -> FloatArray:
    course = 2.0 + 5.0 * (1.0 + np.arange(n) / (n / 60.0)) ** -0.5
    return np.asarray(course * np.exp(0.05 * rng.standard_normal(n)))


def falling(n: int) -> FloatArray:
    return np.exp(-8.0 * np.arange(n) / n)


def rare_set(rng: np.random.Generator, n: int) -> FloatArray:
    return language(rng, n) * np.where(rng.random(n) < 0.07, 2.2, 1.0)


def rare_hard_set(rng: np.random.Generator, n: int) -> FloatArray:
    return language(rng, n) * np.where(rng.random(n) < 0.1, 4.0, 1.0)


def two_sets(rng: np.random.Generator, n: int) -> FloatArray:
    return language(rng, n) * np.where(rng.random(n) < 0.5, 2.5, 1.0)


def three_sets(rng: np.random.Generator, n: int) -> FloatArray:
    return language(rng, n) * rng.choice([0.6, 1.0, 2.2], n, p=[0.2, 0.7, 0.1])


def triplets(rng: np.random.Generator, n: int) -> FloatArray:
    active = rng.binomial(32, 0.9 * falling(n) + 0.01)
    return np.array([rng.gamma(2.0 * k, 0.1) / 32 if k else 0.0 for k in active])


def margins(rng: np.random.Generator, n: int) -> FloatArray:
    return np.where(rng.random(n) < 0.9 * falling(n) + 0.15, rng.gamma(3.0, 0.1, n), 0.0)


def hinge(rng: np.random.Generator, n: int) -> FloatArray:
    return np.maximum(0.0, 0.4 * falling(n) + 0.02 + 0.05 * rng.standard_normal(n))


def two_decimals(rng: np.random.Generator, n: int) -> FloatArray:
    return np.round((0.02 + 0.5 * falling(n)) * np.exp(0.1 * rng.standard_normal(n)), 2)


def rounded_to_zero(rng: np.random.Generator, n: int) -> FloatArray:
    return np.round((0.003 + 0.8 * falling(n)) * np.exp(0.2 * rng.standard_normal(n)), 2)


HEALTHY = (
    rare_set, rare_hard_set, two_sets, three_sets, triplets, margins, hinge, two_decimals,
    rounded_to_zero,
)  # fmt: skip
Make = Callable[[np.random.Generator, int], FloatArray]


@pytest.mark.parametrize("make", HEALTHY)
def test_it_is_quiet(make: Make) -> None:
    told = [
        (n, seed, a.label, a.start_step)
        for n in LENGTHS
        for seed in SEEDS
        for a in alarms(make(np.random.default_rng([n, seed]), n))
    ]
    # Measured: none, but for one log of 150 points of the hinge losses.
    assert len(told) <= 1, told


@pytest.mark.parametrize("make", HEALTHY)
def test_a_lasting_rise_in_it_is_found(make: Make) -> None:
    loss = make(np.random.default_rng(0), 1200)
    loss[700:] = 5.0 * loss[700:] + float(np.median(loss[:50]))
    found = alarms(loss)
    assert {a.kind for a in found} & {Kind.LEVEL_SHIFT, Kind.DIVERGENCE}
    assert min(abs(a.start_step - 700) for a in found) <= 100


@pytest.mark.parametrize("make", [m for m in HEALTHY if m is not rare_hard_set])
def test_a_spike_far_above_all_of_it_is_found(make: Make) -> None:
    loss = make(np.random.default_rng(1), 1200)
    loss[700] = 40.0 * float(loss.max())
    assert any(abs(a.start_step - 700) <= 2 for a in alarms(loss))


@pytest.mark.parametrize("make", [rare_set, three_sets])
def test_a_long_hump_in_a_mixture_is_found(make: Make) -> None:
    loss = make(np.random.default_rng(2), 1200)
    loss[700:760] *= 6.0 * np.exp(-np.arange(60) / 30.0) + 1.0
    assert any(a.kind is Kind.SLOW_RECOVERY and abs(a.start_step - 700) <= 5 for a in alarms(loss))


def test_a_few_bad_batches_are_no_mixture() -> None:
    loss = language(np.random.default_rng(3), 1200)
    loss[[300, 620, 700, 1000]] *= 4.0
    assert [a.kind for a in alarms(loss)] == [Kind.ISOLATED_SPIKE] * 4


def lone(others: int, height: float = 3.0, kind: Kind = Kind.ISOLATED_SPIKE) -> Severity:
    """Return how a spike to 3 is judged in a log of 1 that has so many other high points."""
    values = np.ones(1000)
    values[105 + 30 * np.arange(others)] = height
    values[500] = 3.0
    seen = view(np.arange(1000), values)
    a = Anomaly(
        kind, Severity.WARNING, 0.9, "loss", 500, 500, 500, None, {"rise": float(np.log(3.0))}
    )
    return without_mixture(seen, baseline(seen.judged), a).severity


@pytest.mark.parametrize(
    ("others", "height", "severity"),
    [
        # Of 899 other points behind the first tenth three per cent are 26.97.
        *((27, 3.0, Severity.INFO), (26, 3.0, Severity.WARNING)),
        # As high as half of it, in logs: the root of 3 is 1.732.
        *((27, 1.74, Severity.INFO), (27, 1.72, Severity.WARNING)),
    ],
)
def test_three_points_in_a_hundred_as_high(others: int, height: float, severity) -> None:
    assert lone(others, height) is severity
