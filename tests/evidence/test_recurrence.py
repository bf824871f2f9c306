from __future__ import annotations

import numpy as np
import pytest
from levels import pieces

from spikedoc.model.anomaly import Anomaly
from spikedoc.model.evidence import Verdict
from spikedoc.model.label import Form, Kind, Severity

YES, NO, UNKNOWN = Verdict.SUPPORTS, Verdict.REFUTES, Verdict.UNKNOWN


def spike(at: int) -> Anomaly:
    return Anomaly(Kind.ISOLATED_SPIKE, Severity.INFO, 0.9, "loss", at, at, at)


def with_spikes(falling: np.ndarray, heights: dict[int, float]) -> np.ndarray:
    loss = falling.copy()
    for step, height in heights.items():
        loss[step - 1] += height
    return loss


def test_alone(ask, falling) -> None:
    loss = with_spikes(falling, {500: 3.0})
    assert ask("spike_is_alone", Kind.ISOLATED_SPIKE, 500, loss=loss).verdict is YES
    assert ask("spikes_repeat", Kind.ISOLATED_SPIKE, 500, loss=loss).verdict is NO
    assert ask("spikes_grow", Kind.ISOLATED_SPIKE, 500, loss=loss).verdict is UNKNOWN
    assert ask("spike_is_alone", Kind.OSCILLATION, 500, loss=loss).verdict is UNKNOWN


@pytest.mark.parametrize(
    ("heights", "grow", "shrink"),
    [
        ({300: 1.0, 400: 2.0, 500: 4.0, 600: 8.0}, YES, NO),
        ({300: 8.0, 400: 4.0, 500: 2.0, 600: 1.0}, NO, YES),
        ({300: 4.0, 400: 4.1, 500: 3.9, 600: 4.0}, NO, NO),
    ],
)
def test_heights(ask, falling, heights, grow, shrink) -> None:
    loss = with_spikes(falling, heights)
    others = [spike(step) for step in list(heights)[1:]]
    assert ask("spikes_grow", Kind.ISOLATED_SPIKE, 300, loss=loss, others=others).verdict is grow
    assert (
        ask("spikes_shrink", Kind.ISOLATED_SPIKE, 300, loss=loss, others=others).verdict is shrink
    )
    found = ask("spikes_repeat", Kind.ISOLATED_SPIKE, 300, loss=loss, others=others)
    assert (found.verdict, found.values["count"]) == (YES, 4)


def test_a_recurring_anomaly_is_asked_about_its_own_events(ask, falling) -> None:
    heights = dict.fromkeys(range(300, 1000, 50), 3.0)
    found = ask(
        "spikes_repeat",
        Kind.PERIODIC_SPIKES,
        300,
        300,
        1000,
        form=Form.FIXED_PERIOD,
        loss=with_spikes(falling, heights),
    )
    assert found.verdict is YES
    assert found.values["count"] == len(heights)


def test_a_spike_before_the_end(ask, falling) -> None:
    loss = np.where(np.arange(1000) < 899, with_spikes(falling, {300: 3.0, 500: 3.0}), np.nan)
    others = [spike(500), spike(300), spike(950)]
    parts = {"loss": loss, "others": others}
    found = ask("spike_came_before", Kind.NONFINITE, 900, form=Form.PERSISTENT, **parts)
    assert found.verdict is YES
    assert found.values == {"count": 2, "step": 500, "ahead": 400}
    calm = ask("spike_came_before", Kind.NONFINITE, 900, form=Form.PERSISTENT, loss=loss)
    assert calm.verdict is NO
    assert ask("spike_came_before", Kind.OSCILLATION, 900, **parts).verdict is UNKNOWN


def heights(ask, *by: float) -> dict[str, tuple[Verdict, dict]]:
    """Ask about spikes that stand by so much above a level of 1."""
    steps = range(100, 100 + 50 * len(by), 50)
    loss = with_spikes(np.ones(1000), dict(zip(steps, by, strict=True)))
    others = [spike(step) for step in steps[1:]]
    names = ("spikes_grow", "spikes_shrink", "spikes_repeat", "spike_is_alone")
    found = {n: ask(n, Kind.ISOLATED_SPIKE, 100, loss=loss, others=others) for n in names}
    return {name: (one.verdict, dict(one.values)) for name, one in found.items()}


@pytest.mark.parametrize(
    ("by", "early", "late", "grows"),
    [
        *(((2.0, 2.5, 3.0), 2.0, 3.0, NO), ((2.0, 2.5, 3.1), 2.0, 3.1, YES)),  # half as high again
        ((2.0, 1.0, 4.0, 3.0, 5.0), 2.0, 5.0, YES),  # of ten pairs two fall: tau is .6
        ((2.0, 1.0, 5.0, 3.0, 4.0), 2.0, 4.0, NO),  # three
        ((1.0, 3.0, 4.0, 5.0, 6.0, 8.0), 2.0, 7.0, YES),  # two of six make a third
    ],
)
def test_heights_that_grow(ask, by, early: float, late: float, grows: Verdict) -> None:
    told = {"early": pytest.approx(early), "late": pytest.approx(late), "count": len(by)}
    assert heights(ask, *by)["spikes_grow"] == (grows, told)
    told |= {"early": told["late"], "late": told["early"]}
    assert heights(ask, *by[::-1])["spikes_shrink"] == (grows, told)
    assert heights(ask, *by)["spikes_shrink"][0] is NO


@pytest.mark.parametrize(("count", "repeat", "trend"), [(2, NO, UNKNOWN), (3, YES, NO)])
def test_three_spikes_repeat(ask, count: int, repeat: Verdict, trend: Verdict) -> None:
    found = heights(ask, *[2.0] * count)
    assert found["spikes_repeat"] == (
        repeat, {"count": count, "first": 100, "last": 50 + 50 * count}
    )  # fmt: skip
    assert found["spikes_grow"][0] is trend
    assert found["spike_is_alone"][0] is NO


@pytest.mark.parametrize(("end", "verdict"), [(899, YES), (900, NO)])
def test_a_spike_that_was_over_before(ask, end: int, verdict: Verdict) -> None:
    other = Anomaly(Kind.SLOW_RECOVERY, Severity.INFO, 0.9, "loss", 500, 500, end)
    loss = pieces((899, 1.0), (101, np.nan))
    form = Form.PERSISTENT
    found = ask("spike_came_before", Kind.NONFINITE, 900, form=form, loss=loss, others=[other])
    assert found.verdict is verdict
