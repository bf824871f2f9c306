"""A dip below the level of the loss, and the way out of it."""

from __future__ import annotations

import numpy as np
import pytest

from spikedoc.classifier.dips import as_dip, without_dips
from spikedoc.classifier.wording import summarise
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
    spiked = np.where(STEPS == 622, 2.0, values)
    assert is_kept(spiked, 622, Kind.ISOLATED_SPIKE)
    assert is_kept(values, 621, Kind.LEVEL_SHIFT, Form.DOWN)


def test_at_the_ends_of_a_log_nothing_is_known() -> None:
    values = dipped(600, 620)
    assert is_kept(values, 1)
    assert is_kept(values, 1000)


def passing(step: int, end: int, kind: Kind = Kind.SLOW_RECOVERY) -> Anomaly:
    return Anomaly(kind, Severity.WARNING, 0.9, "loss", step, step, end, None, {}, ())


@pytest.mark.parametrize("kind", [Kind.SLOW_RECOVERY, Kind.ISOLATED_SPIKE])
@pytest.mark.parametrize(
    ("to", "after", "kept"),
    [(0.4, 1.0, False), (0.6, 1.0, False), (0.8, 1.0, False), (0.4, 1.3, True), (1.0, 1.3, True)],
)
def test_a_rise_that_leads_out_of_a_dip_and_nowhere_above_is_none(
    kind: Kind, to: float, after: float, kept: bool
) -> None:
    seen = view(STEPS, dipped(600, 620, to=to, after=after))
    assert bool(without_dips(seen, [passing(621, 700, kind)])) is kept


def test_a_hump_on_a_steep_way_down_is_kept() -> None:
    course = np.exp(-STEPS / 60.0) * np.exp(NOISE)
    course[300:] = course[280] * np.exp(-(STEPS[300:] - 300) / 60.0)
    assert without_dips(view(STEPS, course), [passing(301, 340)])


def fall(step: int) -> Anomaly:
    measures = {"before": 0.3, "after": 0.12, "factor": 0.4}
    return Anomaly(
        Kind.LEVEL_SHIFT, Severity.INFO, 0.8, "loss", step, step, 1000, Form.DOWN, measures, ()
    )


def test_a_fall_that_is_soon_back_ends_there_and_says_how_low_it_was() -> None:
    told = as_dip(view(STEPS, dipped(600, 620, to=0.4)), fall(601))
    assert told.end_step == 621
    assert told.measures["dip_end"] == 621.0
    assert told.measures["reached"] == pytest.approx(0.12, rel=0.03)
    assert "factor" not in told.measures
    assert "is back at step 621" in summarise(told).en


@pytest.mark.parametrize(
    ("last", "after"),
    [(1000, 1.0), (700, 1.0), (620, 0.6), (620, 1.3)],  # for good, long, half of it, above it
)
def test_a_fall_that_lasts_or_leads_elsewhere_is_no_dip(last: int, after: float) -> None:
    lasting = fall(601)
    assert as_dip(view(STEPS, dipped(600, last, to=0.4, after=after)), lasting) is lasting
