from __future__ import annotations

import numpy as np
import pytest

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
