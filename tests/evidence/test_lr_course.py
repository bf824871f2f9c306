from __future__ import annotations

import numpy as np
import pytest

from spikedoc.model.evidence import Verdict
from spikedoc.model.label import Form, Kind

YES, NO, UNKNOWN = Verdict.SUPPORTS, Verdict.REFUTES, Verdict.UNKNOWN
STEPS = np.arange(1200)
COSINE = 1e-3 * 0.5 * (1 + np.cos(np.pi * STEPS / 1200))
RESTARTS = 1e-3 * 0.5 * (1 + np.cos(np.pi * (STEPS % 200) / 200))
TRIANGLE = 1e-4 + 1e-3 * np.abs((STEPS / 100) % 2 - 1)
DOUBLING = np.concatenate([0.5 * (1 + np.cos(np.pi * np.arange(n) / n)) for n in (100, 200, 400)])
ONCE = np.where(STEPS < 600, COSINE, COSINE[STEPS - 600])


@pytest.mark.parametrize(
    ("rate", "verdict"),
    [(COSINE, NO), (RESTARTS, YES), (TRIANGLE, YES), (DOUBLING, YES), (ONCE, NO)],
)
def test_cyclic(ask, rate, verdict) -> None:
    assert ask("lr_is_cyclic", Kind.OSCILLATION, 1, 1, 700, lr=rate).verdict is verdict


def test_cyclic_by_name(ask, falling) -> None:
    kind = Kind.OSCILLATION
    named = ask("lr_is_cyclic", kind, 1, loss=falling, config={"schedule": "CosineWarmRestarts"})
    assert named.verdict is YES
    assert ask("lr_is_cyclic", kind, 1, loss=falling, config={"schedule": "const"}).verdict is NO
    assert ask("lr_is_cyclic", kind, 1, loss=falling).verdict is UNKNOWN


@pytest.mark.parametrize(("period", "verdict"), [(200.0, YES), (190.0, YES), (130.0, NO)])
def test_period(ask, period, verdict) -> None:
    found = ask(
        "lr_period_matches",
        Kind.PERIODIC_SPIKES,
        200,
        200,
        1200,
        form=Form.FIXED_PERIOD,
        measures={"period": period},
        lr=RESTARTS,
    )
    assert found.verdict is verdict


def test_a_constant_rate_has_no_period(ask) -> None:
    parts = {"measures": {"period": 50.0}, "lr": np.full(1200, 1e-3)}
    kind = Kind.PERIODIC_SPIKES
    assert ask("lr_period_matches", kind, 9, 9, 1200, **parts).verdict is NO
    parts["measures"] = {}
    assert ask("lr_period_matches", kind, 9, 9, 1200, **parts).verdict is UNKNOWN


def test_decayed_before_the_plateau(ask) -> None:
    noise = np.exp(np.random.default_rng(1).normal(0, 0.02, 1200))
    early = 1e-3 * np.exp(-STEPS / 60)  # 5 % at step 180
    loss = (1.2 + 1.1 * np.exp(-STEPS / 100)) * noise  # within 3 % of the fall at step 350
    kind, name = Kind.NON_CONVERGENCE, "lr_decayed_before_plateau"
    assert ask(name, kind, 1, 1, 1200, loss=loss, lr=early).verdict is YES
    assert ask(name, kind, 1, 1, 1200, loss=loss, lr=COSINE).verdict is NO
    assert ask(name, kind, 1, 1, 1200, loss=loss, lr=np.full(1200, 1e-3)).verdict is NO
    assert ask(name, Kind.OSCILLATION, 1, loss=loss, lr=early).verdict is UNKNOWN


def test_noise_falls_with_the_rate(ask) -> None:
    rng = np.random.default_rng(6)
    rate = np.where(STEPS < 700, 1e-2, 1e-4)
    loud = np.exp(rng.normal(0, np.where(STEPS < 700, 0.4, 0.05)))
    kind, name = Kind.OSCILLATION, "noise_falls_with_lr"
    assert ask(name, kind, 1, 1, 1200, loss=loud, lr=rate).verdict is YES
    even = np.exp(rng.normal(0, 0.2, 1200))
    assert ask(name, kind, 1, 1, 1200, loss=even, lr=rate).verdict is NO
    assert ask(name, kind, 1, 1, 1200, loss=loud, lr=np.full(1200, 1e-3)).verdict is UNKNOWN
