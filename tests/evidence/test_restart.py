from __future__ import annotations

import numpy as np
import pytest

from spikedoc.evidence.base import Case
from spikedoc.model.anomaly import Anomaly
from spikedoc.model.evidence import Verdict
from spikedoc.model.label import Kind, Severity
from spikedoc.model.metric import Metric
from spikedoc.model.run import Restart, Run, Series

YES, NO, UNKNOWN = Verdict.SUPPORTS, Verdict.REFUTES, Verdict.UNKNOWN
KIND = Kind.LEVEL_SHIFT
RESTARTS = [Restart(600, 604, "rewound")]


@pytest.mark.parametrize(
    ("start", "verdict"), [(600, YES), (606, YES), (599, YES), (650, NO), (500, NO)]
)
def test_near(ask, falling, start, verdict) -> None:
    found = ask("near_restart", KIND, start, loss=falling, restarts=RESTARTS)
    assert found.verdict is verdict


@pytest.mark.parametrize(("start", "verdict"), [(1, YES), (25, YES), (50, NO), (75, NO)])
def test_a_few_points_of_a_short_log_are_not_near(ask, start: int, verdict: Verdict) -> None:
    loss = np.array([1, 25, 50, 75, 100, 125, 150, 175, 200]), np.linspace(2.0, 5.0, 9)
    found = ask("near_restart", KIND, start, loss=loss, restarts=[Restart(1, 50, "rewound")])
    assert found.verdict is verdict


def test_no_restart_refutes_and_a_stretch_is_unknown(ask, falling) -> None:
    assert ask("near_restart", KIND, 600, loss=falling).verdict is NO
    kind = Kind.OSCILLATION
    assert ask("near_restart", kind, 600, loss=falling, restarts=RESTARTS).verdict is UNKNOWN


def test_learning_rate(ask, falling) -> None:
    parts = {"loss": falling, "restarts": RESTARTS}
    reset = np.where(np.arange(1000) < 599, 2e-4, 1e-3)
    found = ask("lr_not_carried", KIND, 602, lr=reset, **parts)
    assert (found.verdict, found.values["before"], found.values["after"]) == (YES, 2e-4, 1e-3)
    assert ask("lr_not_carried", KIND, 602, lr=np.full(1000, 1e-3), **parts).verdict is NO
    assert ask("lr_not_carried", KIND, 800, lr=reset, **parts).verdict is UNKNOWN


def test_loss(ask, falling) -> None:
    jumped = falling * np.where(np.arange(1000) < 599, 1.0, 3.0)
    parts = {"restarts": RESTARTS}
    assert ask("loss_not_carried", KIND, 600, loss=jumped, **parts).verdict is YES
    assert ask("loss_not_carried", KIND, 600, loss=falling, **parts).verdict is NO
    assert ask("loss_not_carried", KIND, 600, loss=jumped).verdict is UNKNOWN


def test_loss_scale(ask, falling) -> None:
    scale = np.where(np.arange(1000) < 599, 1024.0, 65536.0)
    scale[0] = 65536.0
    parts = {"loss": falling, "restarts": RESTARTS}
    assert ask("loss_scale_not_carried", KIND, 600, loss_scale=scale, **parts).verdict is YES
    scale[599:] = 1024.0
    assert ask("loss_scale_not_carried", KIND, 600, loss_scale=scale, **parts).verdict is NO


def test_repeated_data(ask, falling) -> None:
    low = falling.copy()
    low[599:625] *= 0.6
    parts = {"restarts": RESTARTS}
    assert ask("loss_below_trend_after", KIND, 600, loss=low, **parts).verdict is YES
    assert ask("loss_below_trend_after", KIND, 600, loss=falling, **parts).verdict is NO


def test_pause(falling) -> None:
    probe = _probe("gap_in_time")
    steps = np.arange(1, 1001)
    times = 1e9 + steps + np.where(steps >= 600, 500.0, 0.0)
    loss = Series(Metric.LOSS, "loss", "loss", steps, falling.copy(), times)
    anomaly = Anomaly(KIND, Severity.WARNING, 0.9, "loss", 600, 600, 1000)
    assert probe.answer(Case(Run("r", "r", (loss,)), anomaly, (anomaly,))).verdict is YES
    even = Series(Metric.LOSS, "loss", "loss", steps, falling.copy(), 1e9 + steps)
    assert probe.answer(Case(Run("r", "r", (even,)), anomaly, (anomaly,))).verdict is NO
    marked = Run("r", "r", (loss,), (Restart(600, 599, "pause"),))
    assert probe.answer(Case(marked, anomaly, (anomaly,))).verdict is NO


def _probe(name: str):
    from spikedoc.evidence.restart import PROBES

    return next(probe for probe in PROBES if probe.name == name)


@pytest.mark.parametrize(
    ("start", "verdict"), [(600, YES), (900, YES), (590, NO), (1000 + 10, UNKNOWN)]
)
def test_a_restart_further_back(ask, falling, start, verdict) -> None:
    kind = KIND if start <= 1000 else Kind.OSCILLATION
    found = ask("restart_precedes", kind, start, loss=falling, restarts=RESTARTS)
    assert found.verdict is verdict


def test_a_restart_long_ago_has_nothing_to_do_with_it(ask, falling) -> None:
    early = [Restart(100, 104, "rewound")]
    assert ask("restart_precedes", KIND, 900, loss=falling, restarts=early).verdict is NO


def test_repeated_data_end_where_they_began(ask) -> None:
    name, noise = "loss_below_trend_after", np.exp(np.random.default_rng(9).normal(0, 0.03, 1000))
    steps = np.arange(1, 1001)
    # From the restart at 600 on the same batches again: down to a fifth, at 850 back up.
    repeated = np.where((steps >= 600) & (steps < 850), np.exp(-(steps - 600) / 150), 1.0) * noise
    found = ask(name, KIND, 850, 852, 1000, loss=repeated, restarts=RESTARTS)
    assert found.verdict is YES
    # A rise that stops far below, or one after a loss that only kept its pace, is another matter.
    part = repeated * np.where(steps >= 850, 0.4, 1.0)
    assert ask(name, KIND, 850, 852, 1000, loss=part, restarts=RESTARTS).verdict is NO
    pace = 3 * np.exp(-steps / 300) * np.where(steps >= 850, 4.0, 1.0) * noise
    assert ask(name, KIND, 850, 852, 1000, loss=pace, restarts=RESTARTS).verdict is NO
    assert ask(name, KIND, 850, 852, 1000, loss=repeated).verdict is UNKNOWN
