"""Batches from several sets of data, hinges and few digits: no alarm; events in them: found."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
import synth
from plain import mixture as plain

from spikedoc.classifier.classify import classify
from spikedoc.classifier.mixture import without_mixture
from spikedoc.model.anomaly import Anomaly
from spikedoc.model.label import Form, Kind, Severity
from spikedoc.model.run import FloatArray
from spikedoc.pipeline import detect
from spikedoc.signal.baseline import Baseline, baseline
from spikedoc.signal.transform import Scale
from spikedoc.signal.view import View, view

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


INFO, WARNING = Severity.INFO, Severity.WARNING


def on_zero(
    judged: FloatArray,
    first: int,
    last: int,
    *,
    kind: Kind = Kind.SLOW_RECOVERY,
    form: Form | None = None,
    **measures: float,
) -> Severity:
    """Return how an event is judged in a log whose level is 0 everywhere."""
    n = len(judged)
    level = np.zeros(n)
    seen = View(np.arange(n), np.exp(judged), judged, Scale.LOG)
    base = Baseline(level, level, level, np.ones(n), 9)
    a = Anomaly(kind, WARNING, 0.9, "loss", first, first, last, form, measures)
    return without_mixture(seen, base, a).severity


def test_a_hump_is_explained_as_by_its_definition() -> None:
    rng = np.random.default_rng(0)
    for _ in range(300):
        n, length, block = (int(rng.integers(*ends)) for ends in ((20, 150), (1, 13), (1, 25)))
        high = np.repeat(rng.random(n) < rng.choice([0.0, 0.02, 0.1, 0.3, 0.6, 0.9]), block)[:n]
        first = int(rng.integers(1, n - length + 1))
        last, order = first + length - 1, rng.permutation(length)
        told = []
        for count in range(length + 1):  # so many points of the hump are high
            high[first : last + 1] = order < count
            told.append(plain.explained(high.astype(float).tolist(), first, last, 1.0))
        assert told == sorted(told, reverse=True)  # the more of them, the less it is chance
        for count in {max(0, sum(told) - 1), min(sum(told), length)}:
            high[first : last + 1] = order < count
            found = on_zero(high.astype(float), first, last, jump=2.0)
            assert (found is INFO) is told[count]


@pytest.mark.parametrize(("others", "expected"), [(8, INFO), (7, WARNING)])
def test_where_a_tenth_of_the_log_is_high_it_may_come_in_blocks(others: int, expected) -> None:
    # Of 80 other points behind the first tenth; eight of ten in a row would be chance no more.
    judged = np.zeros(100)
    judged[50:58] = judged[20 : 20 + others // 2] = judged[80 : 80 + others - others // 2] = 1.0
    assert on_zero(judged, 50, 59, jump=2.0) is expected


@pytest.mark.parametrize(
    ("n", "high", "length", "expected"),
    [
        # Two stretches of four, right behind the first tenth and later: 3.6 at a time.
        (100, [*range(10, 14), *range(80, 84)], 12, WARNING),
        # A point and a stretch of nine make 4.5 at a time.
        (100, [10, *range(20, 29)], 14, WARNING),
        # Nine in a row are counted as five.
        (100, [*range(20, 29)], 15, WARNING),
        # Two of three are high, eight in a row: of chance, which makes two, are four taken off.
        (1000, [k for k in range(1000) if k % 12 < 8], 76, INFO),
        (1000, [k for k in range(1000) if k % 12 < 8], 88, WARNING),
    ],
)
def test_how_many_are_drawn_at_a_time(n: int, high, length: int, expected: Severity) -> None:
    judged = np.zeros(n)
    first = n // 2
    judged[high] = judged[first : first + length] = 1.0
    assert on_zero(judged, first, first + length - 1, jump=2.0) is expected
    assert plain.explained(judged.tolist(), first, first + length - 1, 1.0) is (expected is INFO)


def test_one_other_point_is_all_there_is() -> None:
    # It is high, as is the whole event of eight points.
    judged = np.r_[0.0, np.ones(9)]
    assert on_zero(judged, 1, 8, jump=2.0) is INFO
    judged[9] = 0.9
    assert on_zero(judged, 1, 8, jump=2.0) is WARNING


@pytest.mark.parametrize(
    ("first", "form", "measures", "expected"),
    [
        (1, None, {"jump": 2.0}, INFO),
        (0, None, {"jump": 2.0}, WARNING),  # no level before it
        (1, Form.UP, {"jump": 2.0}, INFO),
        (1, Form.DOWN, {"jump": 2.0}, WARNING),
        (1, None, {"jump": 2.0, "late": 2.1}, WARNING),  # no other point is as high as 1.05
        (1, None, {"jump": -1.0, "late": 2.0}, INFO),
        (1, None, {"jump": 0.0}, WARNING),
        (1, None, {"jump": -1.0}, WARNING),
        (1, None, {}, WARNING),
        (1, None, {"rise": 2.0}, INFO),
        (1, None, {"rise": 2.1}, WARNING),
        (1, None, {"late": 2.0}, WARNING),  # its height is not known
    ],
)
def test_how_high_an_event_is(first: int, form, measures, expected: Severity) -> None:
    judged = np.r_[0.0, 1.05, np.tile([0.0, 1.0], 20)]
    assert on_zero(judged, first, first, form=form, **measures) is expected


@pytest.mark.parametrize(("others", "expected"), [(3, INFO), (2, WARNING)])
def test_three_of_a_hundred_other_points(others: int, expected: Severity) -> None:
    judged = np.zeros(112)  # without the first tenth and the spike: 100
    judged[[50, *(60 + 10 * np.arange(others)), 3, 4, 5]] = 1.0
    assert on_zero(judged, 50, 50, kind=Kind.ISOLATED_SPIKE, rise=2.0) is expected
    assert on_zero(judged, 50, 50, kind=Kind.UPDATE_SPIKE, rise=2.0) is WARNING
