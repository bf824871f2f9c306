from __future__ import annotations

import numpy as np
import pytest

from spikedoc.model.evidence import Evidence, Verdict
from spikedoc.model.label import Form, Kind

YES, NO, UNKNOWN = Verdict.SUPPORTS, Verdict.REFUTES, Verdict.UNKNOWN
NAME = "period_is_fractional"
STEPS = np.arange(1, 6001)


def repeating(period: float, size: float = 0.1, first: int = 0, last: int = 6000) -> np.ndarray:
    """A falling loss with a sawtooth of this period between two steps."""
    rng = np.random.default_rng(5)
    inside = (first <= STEPS) & (last >= STEPS)
    tooth = np.where(inside, size * (np.mod(STEPS, period) / period - 0.5), 0.0)
    return (2 * np.exp(-STEPS / 1500) + 1) * np.exp(tooth + rng.normal(0, 0.02, STEPS.size))


def asked(ask, loss: np.ndarray, period: float, **more) -> Evidence:
    kind, measures = Kind.PERIODIC_SPIKES, {"period": period} | more.pop("measures", {})
    first, last = more.pop("first", 1), more.pop("last", 6000)
    form = Form.FIXED_PERIOD
    return ask(NAME, kind, first, first, last, form=form, loss=loss, measures=measures, **more)


@pytest.mark.parametrize("period", [46.5, 46.3, 60.6])
def test_a_period_between_whole_numbers_is_not_counted_in_steps(ask, period) -> None:
    found = asked(ask, repeating(period), period)
    assert found.verdict is YES
    assert dict(found.values)["period"] == pytest.approx(period, abs=0.05)
    assert dict(found.values)["whole"] == round(period)


@pytest.mark.parametrize("period", [46.0, 47.0, 60.0])
def test_a_whole_period_may_be_counted_in_steps(ask, period) -> None:
    assert asked(ask, repeating(period), period).verdict is NO
    # ... also when the detector knew it to some hundredths only.
    assert asked(ask, repeating(period), period + 0.04).verdict is NO


def test_few_long_cycles_cannot_tell(ask) -> None:
    assert asked(ask, repeating(430.5), 430.5).verdict is UNKNOWN


def test_without_a_pattern_or_every_step_nothing_is_said(ask) -> None:
    assert asked(ask, repeating(46.5, size=0.0), 46.5).verdict is UNKNOWN
    assert asked(ask, repeating(46.5), 93.0, stride=2).verdict is UNKNOWN
    assert ask(NAME, Kind.PERIODIC_SPIKES, 1, loss=repeating(46.5)).verdict is UNKNOWN


def test_a_pattern_in_a_part_of_the_log_is_judged_there(ask) -> None:
    loss = repeating(46.5, size=0.05, last=1500)
    assert asked(ask, loss, 46.5).verdict is UNKNOWN
    part = {"measures": {"stretch": 1.0}, "last": 1500}
    assert asked(ask, loss, 46.5, **part).verdict is YES
