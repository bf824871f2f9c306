from __future__ import annotations

import numpy as np
import pytest
from levels import alike, pieces

from spikedoc.model.anomaly import Anomaly
from spikedoc.model.evidence import Verdict
from spikedoc.model.label import Form, Kind, Severity

YES, NO, UNKNOWN = Verdict.SUPPORTS, Verdict.REFUTES, Verdict.UNKNOWN
STEPS = np.arange(1, 1001)
CUT = np.where(STEPS < 500, 1e-3, 1e-4)


def spike(at: int) -> Anomaly:
    return Anomaly(Kind.ISOLATED_SPIKE, Severity.INFO, 0.9, "loss", at, at, at)


@pytest.mark.parametrize(
    ("at", "verdict"),
    [
        ((200, 350, 620, 800), YES),
        ((100, 200, 350), NO),
        ((200, 350, 620), UNKNOWN),  # one spike afterwards may be chance
        ((350, 620, 800), UNKNOWN),  # one before is no pattern that a cut could end
    ],
)
def test_spikes_on_both_sides_of_the_cut(ask, falling, at, verdict) -> None:
    found = ask(
        "spikes_outlive_lr_cut",
        Kind.ISOLATED_SPIKE,
        at[0],
        loss=falling,
        lr=CUT,
        others=[spike(step) for step in at[1:]],
    )
    assert found.verdict is verdict


def test_the_statement_has_step_and_counts(ask, falling) -> None:
    others = [spike(step) for step in (350, 620, 800)]
    found = ask(
        "spikes_outlive_lr_cut", Kind.ISOLATED_SPIKE, 200, loss=falling, lr=CUT, others=others
    )
    assert found.values == {"step": 500, "old": 1e-3, "new": 1e-4, "before": 2, "after": 2}


def test_a_cut_shortly_before_the_end_proves_nothing(ask, falling) -> None:
    late = np.where(STEPS < 950, 1e-3, 1e-4)
    others = [spike(step) for step in (350, 620, 800)]
    parts = {"loss": falling, "lr": late, "others": others}
    assert ask("spikes_outlive_lr_cut", Kind.ISOLATED_SPIKE, 200, **parts).verdict is UNKNOWN


def test_a_smooth_decay_is_no_cut(ask, falling) -> None:
    decay = 1e-3 * 0.5 * (1 + np.cos(np.pi * STEPS / 1001))
    others = [spike(step) for step in (350, 620, 800)]
    parts = {"loss": falling, "others": others}
    assert ask("spikes_outlive_lr_cut", Kind.SLOW_RECOVERY, 200, lr=decay, **parts).verdict is (
        UNKNOWN
    )


def test_a_recurring_anomaly_is_asked_about_its_own_events(ask, falling) -> None:
    loss = falling.copy()
    loss[99:1000:50] += 3.0
    found = ask(
        "spikes_outlive_lr_cut",
        Kind.PERIODIC_SPIKES,
        100,
        100,
        1000,
        form=Form.FIXED_PERIOD,
        loss=loss,
        lr=CUT,
    )
    assert (found.verdict, found.values["before"]) == (YES, 8)
    assert ask("spikes_outlive_lr_cut", Kind.OSCILLATION, 1, loss=loss, lr=CUT).verdict is UNKNOWN


def outlive(ask, cut: int, *spikes: int, low: float = 0.5, n: int = 1000):
    others = [Anomaly(Kind.SLOW_RECOVERY, Severity.INFO, 0.9, "loss", s, s, s) for s in spikes[1:]]
    parts = {"loss": np.ones(n), "lr": pieces((cut - 1, 1.0), (n + 1 - cut, low)), "others": others}
    name, kind = "spikes_outlive_lr_cut", Kind.ISOLATED_SPIKE
    return alike(ask, ("lr",), name, kind, spikes[0], **parts)


@pytest.mark.parametrize(
    ("low", "verdict"), [(0.5, YES), (0.51, UNKNOWN), (1e-9, YES), (0.0, UNKNOWN), (-1.0, UNKNOWN)]
)
def test_a_cut_at_least_halves_the_rate(ask, low: float, verdict: Verdict) -> None:
    found = outlive(ask, 500, 300, 400, 600, 700, low=low)
    assert found.verdict is verdict
    if verdict is YES:
        told = {"step": 500, "old": 1.0, "new": low, "before": 2, "after": 2}
        assert found.values == told


@pytest.mark.parametrize(
    ("spikes", "n", "verdict"),
    [
        *(((499, 300, 500, 700), 1000, YES), ((300, 500, 700), 1000, UNKNOWN)),
        ((300, 400, 600), 1000, UNKNOWN),  # one after it may be chance
        # As long after the cut as the spikes took before it: 200 steps.
        *(((300, 400), 700, NO), ((300, 400), 699, UNKNOWN)),
    ],
)
def test_two_spikes_on_either_side_of_the_cut(ask, spikes, n: int, verdict: Verdict) -> None:
    assert outlive(ask, 500, *spikes, n=n).verdict is verdict


def test_the_last_of_two_cuts(ask) -> None:
    lr = pieces((199, 1.0), (300, 0.5), (501, 0.25))
    seen = [
        Anomaly(Kind.ISOLATED_SPIKE, Severity.INFO, 0.9, "loss", s, s, s) for s in (300, 600, 700)
    ]
    parts = {"loss": np.ones(1000), "lr": lr, "others": seen}
    found = ask("spikes_outlive_lr_cut", Kind.ISOLATED_SPIKE, 100, **parts)
    assert found.values == {"step": 500, "old": 0.5, "new": 0.25, "before": 2, "after": 2}
    assert ask(
        "spikes_outlive_lr_cut", Kind.ISOLATED_SPIKE, 1, loss=np.ones(9), lr=[1.0]
    ).verdict is UNKNOWN  # fmt: skip
