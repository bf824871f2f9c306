"""Bounds on the numbers of a run, by themselves and beside healthy runs."""

from __future__ import annotations

import math

import numpy as np
import pytest
import synth
from healthy_project import changed, healthy

from spikedoc.errors import UsageError
from spikedoc.gate.expectation import Expectation, parse_expectation
from spikedoc.gate.verdict import Outcome
from spikedoc.model.anomaly import Anomaly
from spikedoc.model.label import Kind, Severity
from spikedoc.model.metric import Metric
from spikedoc.model.run import Run
from spikedoc.reference.build import build

LOSS = [4.0, 3.0, float("nan"), 2.0, 1.0]
RUN = synth.run(
    synth.series(np.array(LOSS), Metric.LOSS),
)


@pytest.mark.parametrize(
    ("bounds", "outcome"),
    [
        ({"max": 1.0}, Outcome.PASSED),
        ({"max": 0.99}, Outcome.FAILED),
        ({"min": 1.0}, Outcome.PASSED),
        ({"min": 1.01}, Outcome.FAILED),
        ({"min": 0.5, "max": 2}, Outcome.PASSED),
        (1, Outcome.PASSED),
        (2, Outcome.FAILED),
        ({"max": 0.5, "level": "warn"}, Outcome.WARNED),
    ],
)
def test_bounds(bounds: object, outcome: Outcome) -> None:
    found = parse_expectation("loss.final", bounds, "x").check(RUN, ())
    assert found is not None
    assert found.outcome is outcome


@pytest.mark.parametrize("key", ["lr.final", "loss.first"])
def test_what_is_not_there_or_no_number_misses_every_bound(key: str) -> None:
    run = synth.run(synth.series(np.array([math.nan, 1.0]), Metric.LOSS))
    found = Expectation(key, None, 1e9).check(run, ())
    assert found is not None
    assert found.outcome is Outcome.FAILED
    assert found.message.en.startswith(key)


def test_optional_ones_say_nothing_then() -> None:
    assert Expectation("lr.final", None, 1.0, optional=True).check(RUN, ()) is None
    assert Expectation("loss.final", None, 0.5, optional=True).check(RUN, ()) is not None


def test_the_message_holds_value_and_bound_in_both_languages() -> None:
    found = Expectation("loss.final", 1.5, 2.5).check(RUN, ())
    assert found is not None
    assert found.message.en == "loss.final is 1; expected >= 1.5 and <= 2.5"
    assert found.message.zh == "loss.final 为 1；期望 >= 1.5 且 <= 2.5"
    exact = Expectation("loss.count", 5.0, 5.0).check(RUN, ())
    assert exact is not None
    assert exact.message.en == "loss.count is 5; expected = 5"


def spiky(steps: int, spikes: int, bounds: object) -> tuple[Outcome, str]:
    run = synth.run(synth.series(np.ones(steps + 1), Metric.LOSS))
    one = Anomaly(Kind.ISOLATED_SPIKE, Severity.INFO, 1.0, "loss", 5, 5, 5, None, {"count": spikes})
    found = parse_expectation("spikes_per_10k_steps", bounds, "here").check(run, (one,))
    assert found is not None
    return found.outcome, found.message.en


def test_a_rate_is_not_told_from_few_steps() -> None:
    """One spike in 200 steps is 50 in 10,000 by arithmetic, and nothing by evidence."""
    outcome, said = spiky(200, 1, {"max": 3})
    assert outcome is Outcome.WARNED
    assert said.startswith("1 spike in 200 steps, too few steps to tell a rate per 10,000")
    assert spiky(200, 3, {"max": 3})[0] is Outcome.WARNED
    assert spiky(200, 4, {"max": 3})[0] is Outcome.FAILED  # too many even for 10,000 steps
    assert spiky(200, 0, {"max": 3})[0] is Outcome.PASSED
    assert spiky(9_999, 3, {"max": 3})[0] is Outcome.WARNED
    assert spiky(10_000, 3, {"max": 3})[0] is Outcome.PASSED
    assert spiky(10_000, 4, {"max": 3})[0] is Outcome.FAILED
    assert spiky(20_000, 7, {"max": 3})[0] is Outcome.FAILED
    assert spiky(200, 0, {"min": 1})[0] is Outcome.WARNED


HEALTHY = build([healthy(seed) for seed in range(5)])


def beside(run: Run, key: str, bounds: object) -> tuple[Outcome, str, str]:
    found = parse_expectation(key, bounds, "here").check(run, (), HEALTHY)
    assert found is not None
    return found.outcome, found.message.en, found.message.zh


def test_a_change_beside_healthy_runs() -> None:
    worse = changed(healthy(9), "val_loss", 1.5)
    for key in ("val_loss.final", "val_loss.mean"):
        assert beside(healthy(9), key, {"max_increase": "20 %"})[0] is Outcome.PASSED
        assert beside(worse, key, {"max_increase": "20 %"})[0] is Outcome.FAILED
        assert beside(worse, key, {"max_increase": "20 %", "level": "warn"})[0] is Outcome.WARNED
        assert beside(worse, key, {"max_increase": 2})[0] is Outcome.PASSED
        assert beside(worse, key, {"max_increase": 2, "max": 0.5})[0] is Outcome.FAILED
    slow = changed(healthy(9), "throughput", 0.8)
    assert beside(slow, "throughput.median", {"max_decrease": "10 %"})[0] is Outcome.FAILED
    assert beside(slow, "throughput.median", {"max_increase": "10 %"})[0] is Outcome.PASSED
    assert beside(healthy(9), "throughput.median", {"max_decrease": "10 %"})[0] is Outcome.PASSED


def test_the_message_holds_both_numbers() -> None:
    _, en, zh = beside(healthy(9), "throughput.median", {"max_increase": "3 %", "max_decrease": 5})
    healthy_number = f"{HEALTHY.bands[4].numbers['median']:.4g}"
    assert HEALTHY.bands[4].signal == "throughput"
    assert en.endswith(f", {healthy_number} in healthy runs; expected at most 3 % more and "
                       "at most 5 less")  # fmt: skip
    assert zh.endswith(f"，健康训练为 {healthy_number}；期望最多高 3 % 且最多低 5")


def test_a_number_that_the_reference_lacks() -> None:
    one = parse_expectation("nowhere.final", {"max_increase": "3 %"}, "here")
    with pytest.raises(UsageError, match="the reference holds no nowhere"):
        one.check(RUN, (), HEALTHY)
    with pytest.raises(UsageError, match="need healthy runs to compare with"):
        one.check(RUN, (), None)
    free = parse_expectation("nowhere.final", {"max_increase": "3 %", "optional": True}, "here")
    assert free.check(RUN, (), HEALTHY) is None


@pytest.mark.parametrize("key", ["loss.p33", "loss.p98"])
def test_numbers_that_no_reference_holds_are_refused_at_once(key: str) -> None:
    with pytest.raises(UsageError, match="max_increase and max_decrease go with final, first"):
        parse_expectation(key, {"max_increase": "3 %"}, "here")


def test_quantiles_and_counts_of_a_signal_take_a_change_too() -> None:
    slow = changed(healthy(9), "throughput", 0.8)
    for key in ("throughput.p10", "throughput.p50", "throughput.p99"):
        assert beside(healthy(9), key, {"max_decrease": "10 %"})[0] is Outcome.PASSED
    assert beside(slow, "throughput.p10", {"max_decrease": "10 %"})[0] is Outcome.FAILED
    assert beside(slow, "throughput.p99", {"max_decrease": "10 %"})[0] is Outcome.PASSED  # early
    assert beside(healthy(9), "loss.count", {"max_decrease": "5 %"})[0] is Outcome.PASSED
    half = healthy(9, 500)
    assert beside(half, "loss.count", {"max_decrease": "5 %"})[0] is Outcome.FAILED


OF_RUNS = [
    {"spikes_per_10k_steps": rate, "nan.count": 0.0, "steps.last": 20_000.0} for rate in (1, 2, 3)
]
WITH_RATES = build([healthy(seed) for seed in range(3)], OF_RUNS)


def with_spikes(steps: int, spikes: int, bounds: object) -> tuple[Outcome, str]:
    run = synth.run(synth.series(np.ones(steps + 1), Metric.LOSS))
    one = Anomaly(Kind.ISOLATED_SPIKE, Severity.INFO, 1.0, "loss", 5, 5, 5, None, {"count": spikes})
    found = parse_expectation("spikes_per_10k_steps", bounds, "here").check(run, (one,), WITH_RATES)
    assert found is not None
    return found.outcome, found.message.en


def test_a_change_of_the_rate_of_spikes() -> None:
    """Healthy runs have 2 spikes in 10,000 steps; half as many again are 3."""
    assert with_spikes(10_000, 3, {"max_increase": "50 %"})[0] is Outcome.PASSED
    outcome, said = with_spikes(10_000, 4, {"max_increase": "50 %"})
    assert outcome is Outcome.FAILED
    assert said == ("spikes_per_10k_steps is 4, 2 in healthy runs; expected at most 50 % more")
    assert with_spikes(10_000, 4, {"max_increase": 2})[0] is Outcome.PASSED
    assert with_spikes(10_000, 5, {"max_increase": 2})[0] is Outcome.FAILED
    assert with_spikes(1_000, 3, {"max_increase": "50 %"})[0] is Outcome.WARNED  # open


def test_a_change_of_other_numbers_of_a_run() -> None:
    short = synth.run(synth.series(np.ones(18_001), Metric.LOSS))
    broken = synth.run(synth.series(np.array([math.nan] + [1.0] * 18_000), Metric.LOSS))
    for run, key, bounds, outcome in (
        (short, "steps.last", {"max_decrease": "10 %"}, Outcome.PASSED),
        (short, "steps.last", {"max_decrease": "9 %"}, Outcome.FAILED),
        (short, "nan.count", {"max_increase": 0}, Outcome.PASSED),
        (broken, "nan.count", {"max_increase": 0}, Outcome.FAILED),
        (broken, "nan.count", {"max_increase": 1}, Outcome.PASSED),
    ):
        found = parse_expectation(key, bounds, "here").check(run, (), WITH_RATES)
        assert found is not None
        assert found.outcome is outcome


@pytest.mark.parametrize(
    ("value", "bound", "said"),
    [
        (2.10004, 2.1, "loss.final is 2.10004; expected <= 2.1"),
        (2.1000000001, 2.1, "loss.final is 2.1000000001; expected <= 2.1"),
        (3.14159, 2.1, "loss.final is 3.142; expected <= 2.1"),
        (2.0, 2.1, "loss.final is 2; expected <= 2.1"),
        (2_500_000.0, 1_000_000, "loss.final is 2500000; expected <= 1000000"),
    ],
)
def test_a_number_that_misses_its_bound_does_not_read_like_it(
    value: float, bound: float, said: str
) -> None:
    run = synth.run(synth.series(np.array([value] * 3), Metric.LOSS))
    found = Expectation("loss.final", None, bound).check(run, ())
    assert found is not None
    assert found.message.en == said
