"""A dip below the level of the loss, and the way out of it."""

from __future__ import annotations

import numpy as np
import pytest

from spikedoc.classifier.dips import without_dips
from spikedoc.model.anomaly import Anomaly
from spikedoc.model.label import Form, Kind, Severity
from spikedoc.signal.view import view

STEPS = np.arange(1, 1001)
RNG = np.random.default_rng(5)
NOISE = 0.03 * RNG.standard_normal(1000)
# Learned from 1 to .3 within a hundred steps, as smooth as a training is.
COURSE = 0.3 + 0.7 * np.exp(-STEPS / 25.0)


def dipped(first: int, last: int, to: float = 0.1, after: float = 1.0, begins: float = 1.0):
    """Return losses that stand at a share of their level for a while, and elsewhere after it."""
    course = COURSE.copy()
    course[:200] *= begins
    course[first:last] *= to
    course[last:] *= after
    return course * np.exp(NOISE)


def rise(step: int, kind: Kind = Kind.DIVERGENCE, form: Form = Form.FINITE) -> Anomaly:
    return Anomaly(kind, Severity.CRITICAL, 0.9, "loss", step, step, 1000, form, {}, ())


def is_kept(values, step: int, kind: Kind = Kind.DIVERGENCE, form: Form = Form.FINITE) -> bool:
    seen = view(STEPS, values)
    return bool(without_dips(seen, [rise(step, kind, form)]))


@pytest.mark.parametrize("length", [3, 10, 50])
def test_the_way_out_of_a_short_dip_is_no_rise(length: int) -> None:
    values = dipped(600, 600 + length)
    assert not is_kept(values, 601 + length)
    assert not is_kept(values, 601 + length, Kind.LEVEL_SHIFT, Form.UP)


def test_what_stays_down_longer_was_learned_and_lost() -> None:
    assert is_kept(dipped(600, 660), 661)


@pytest.mark.parametrize(("to", "kept"), [(0.5, False), (0.8, True)])
def test_a_dip_is_deeper_than_noise(to: float, kept: bool) -> None:
    assert is_kept(dipped(600, 620, to=to), 621) is kept


@pytest.mark.parametrize(("after", "kept"), [(1.0, False), (0.8, False), (1.2, True)])
def test_the_level_after_it_is_no_higher_than_before(after: float, kept: bool) -> None:
    assert is_kept(dipped(600, 620, after=after), 621) is kept


def test_a_level_passed_on_the_way_down_is_none_that_was_held() -> None:
    course = 0.3 + 0.7 * np.exp(-STEPS / 200.0)
    course[400:] = 0.7
    assert is_kept(course * np.exp(NOISE), 401)


def test_where_nothing_was_learned_before_it_all_is_unlearned() -> None:
    values = np.full(1000, 1.0)
    values[600:620] = 0.1
    assert is_kept(values * np.exp(NOISE), 621)


def test_other_findings_stay() -> None:
    values = dipped(600, 620)
    assert is_kept(values, 621, Kind.ISOLATED_SPIKE)
    assert is_kept(values, 621, Kind.LEVEL_SHIFT, Form.DOWN)


def test_at_the_ends_of_a_log_nothing_is_known() -> None:
    values = dipped(600, 620)
    assert is_kept(values, 1)
    assert is_kept(values, 1000)
