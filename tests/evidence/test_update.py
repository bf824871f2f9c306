from __future__ import annotations

import numpy as np
import pytest

from spikedoc.model.evidence import Verdict
from spikedoc.model.label import Form, Kind
from spikedoc.model.run import Restart

YES, NO, UNKNOWN = Verdict.SUPPORTS, Verdict.REFUTES, Verdict.UNKNOWN
SPIKE = Kind.ISOLATED_SPIKE


def with_tail(steady: np.ndarray, at: int, factor: float, rate: float) -> np.ndarray:
    """Add an outlier at right angles that dies away by `rate` per step, as momentum does."""
    out = steady.copy()
    after = np.arange(out.size - (at - 1))
    out[at - 1 :] = np.sqrt(out[at - 1 :] ** 2 + (factor * rate**after) ** 2)
    return out


@pytest.mark.parametrize(
    ("factor", "jumps", "normal"), [(7.5, YES, NO), (1.1, NO, YES), (1.95, NO, NO)]
)
def test_jump(ask, falling, steady, factor, jumps, normal) -> None:
    update = np.ones(1000)
    update[599] = factor + 0.2
    parts = {"loss": falling, "update_norm": update}
    assert ask("update_jumps_with_loss", SPIKE, 600, **parts).verdict is jumps
    assert ask("update_stays_normal", SPIKE, 600, **parts).verdict is normal


@pytest.mark.parametrize("rate", [0.85, 0.9, 0.95])
def test_momentum_tail(ask, falling, steady, rate) -> None:
    parts = {"loss": falling, "update_norm": with_tail(steady, 600, 8.0, rate)}
    found = ask("update_tail_decays", SPIKE, 600, **parts)
    assert found.verdict is YES
    assert found.values["rate"] == pytest.approx(rate, abs=0.03)


def test_a_tail_per_step_whatever_the_stride(ask, falling, steady) -> None:
    update = with_tail(steady, 601, 8.0, 0.9)
    every = slice(0, 1000, 2)
    parts = {"loss": falling[every], "update_norm": update[every], "stride": 2}
    found = ask("update_tail_decays", SPIKE, 601, **parts)
    assert found.values["rate"] == pytest.approx(0.9, abs=0.03)


def test_a_jump_of_one_step_has_no_tail(ask, falling, steady) -> None:
    update = steady.copy()
    update[599] = 8.0
    parts = {"loss": falling, "update_norm": update}
    assert ask("update_tail_decays", SPIKE, 600, **parts).verdict is NO
    assert ask("update_tail_decays", SPIKE, 700, **parts).verdict is NO
    assert ask("update_tail_decays", SPIKE, 2, **parts).verdict is UNKNOWN


def test_update_leads(ask, falling, steady) -> None:
    update = steady.copy()
    update[594:600] = 9.0
    parts = {"loss": falling, "update_norm": update}
    found = ask("update_leads_loss", SPIKE, 600, **parts)
    assert (found.verdict, found.values["steps"]) == (YES, 5)
    same = steady.copy()
    same[599] = 9.0
    assert ask("update_leads_loss", SPIKE, 600, loss=falling, update_norm=same).verdict is NO


def test_a_spike_long_before_is_no_lead(ask, falling, steady) -> None:
    update = steady.copy()
    update[592] = 9.0
    found = ask("update_leads_loss", SPIKE, 600, loss=falling, update_norm=update)
    assert found.verdict is NO


def test_cold_optimizer(ask, falling, steady) -> None:
    cold = with_tail(steady, 600, 4.3, 0.85)
    parts = {"loss": falling, "update_norm": cold, "restarts": [Restart(600, 599, "new-file")]}
    kind = Kind.UPDATE_SPIKE
    name = "update_jumps_at_restart"
    assert ask(name, kind, 600, signal="update_norm", **parts).verdict is YES
    moved = np.where(np.arange(1000) < 599, 1e-3, 5e-3)
    assert ask(name, kind, 600, signal="update_norm", lr=moved, **parts).verdict is NO
    warm = {**parts, "update_norm": steady}
    assert ask(name, kind, 600, signal="update_norm", **warm).verdict is NO
    alone = {**parts, "restarts": []}
    assert ask(name, kind, 600, signal="update_norm", **alone).verdict is UNKNOWN


def test_update_followed_the_learning_rate(ask, falling, steady) -> None:
    rate = np.where(np.arange(1000) < 599, 1e-3, 8e-3)
    kind = Kind.LR_DISCONTINUITY
    name = "update_over_lr_constant"
    followed = {"loss": falling, "update_norm": steady * rate, "lr": rate}
    assert ask(name, kind, 600, form=Form.JUMP, signal="lr", **followed).verdict is YES
    alone = {"loss": falling, "update_norm": steady * rate, "lr": np.full(1000, 1e-3)}
    assert ask(name, kind, 600, form=Form.JUMP, signal="lr", **alone).verdict is NO
