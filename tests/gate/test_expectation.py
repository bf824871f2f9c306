"""Numbers of a run, against sums done by hand, and the bounds on them."""

from __future__ import annotations

import math

import numpy as np
import pytest
import synth

from spikedoc.gate.expectation import Expectation, measure, parse_expectation
from spikedoc.gate.verdict import Outcome
from spikedoc.model.anomaly import Anomaly
from spikedoc.model.label import Kind, Severity
from spikedoc.model.metric import Metric
from spikedoc.model.run import Run

LOSS = [4.0, 3.0, float("nan"), 2.0, 1.0]
RUN = synth.run(
    synth.series(np.array(LOSS), Metric.LOSS),
    synth.series(np.arange(1.0, 101.0), Metric.VAL_METRIC, tag="acc", name="val_metric:acc"),
    synth.series(np.array([math.inf, 1.0]), Metric.GRAD_NORM),
)


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("loss.final", 1.0),
        ("loss.first", 4.0),
        ("loss.min", 1.0),
        ("loss.max", 4.0),
        ("loss.mean", 2.5),
        ("loss.median", 2.5),
        ("loss.p50", 2.5),
        ("loss.count", 5.0),
        ("loss.nonfinite", 1.0),
        ("val_metric:acc.final", 98.0),  # the median of the last five of a hundred
        ("acc.p90", 90.1),
        ("nan.count", 1.0),  # the scaler's infinite gradient is no damage
        ("steps.last", 100.0),
        ("lr.final", None),
    ],
)
def test_numbers(key: str, value: float | None) -> None:
    found = measure(key, RUN, ())
    assert found == (None if value is None else pytest.approx(value))


def test_spikes_per_ten_thousand_steps() -> None:
    spike = Anomaly(Kind.ISOLATED_SPIKE, Severity.WARNING, 1.0, "loss", 5, 5, 5, None, {"count": 3})
    drift = Anomaly(Kind.SUSTAINED_DRIFT, Severity.WARNING, 1.0, "loss", 5, 5, 5)
    assert measure("spikes_per_10k_steps", RUN, (spike, drift)) == pytest.approx(3 * 10_000 / 99)
    assert measure("spikes_per_10k_steps", Run("empty", "empty", ()), ()) == 0.0


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


def test_the_end_is_lost_when_most_of_it_is() -> None:
    values = np.ones(100)
    values[-3:] = np.nan
    run = synth.run(synth.series(values, Metric.LOSS))
    assert math.isnan(measure("loss.final", run, ()) or 0.0)
    values[-3] = 1.0
    run = synth.run(synth.series(values, Metric.LOSS))
    assert measure("loss.final", run, ()) == 1.0


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
