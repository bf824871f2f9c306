from __future__ import annotations

import numpy as np
import pytest

from spikedoc.model.evidence import Verdict
from spikedoc.model.label import Kind

YES, NO, UNKNOWN = Verdict.SUPPORTS, Verdict.REFUTES, Verdict.UNKNOWN
STEPS = np.arange(1, 1001)
CONFIG = {"lr": 1e-3, "warmup_steps": 100}


def schedule(warmup: int, peak: float = 1e-3) -> np.ndarray:
    return peak * np.minimum(STEPS / warmup, 1.0)


def asked(ask, loss, lr: np.ndarray, **config: float):
    kind = Kind.DIVERGENCE
    return ask("lr_misses_declared_peak", kind, 600, loss=loss, lr=lr, config=CONFIG | config)


@pytest.mark.parametrize(
    ("warmup", "peak", "verdict"),
    [
        (100, 1e-3, NO),
        (105, 1e-3, NO),
        (400, 1e-3, YES),  # steps counted in micro-batches of four
        (100, 1e-4, YES),
        (100, 4e-3, YES),  # another peak
    ],
)
def test_the_end_of_the_warm_up(ask, falling, warmup, peak, verdict) -> None:
    assert asked(ask, falling, schedule(warmup, peak)).verdict is verdict


def test_where_the_peak_was_reached_is_told(ask, falling) -> None:
    found = asked(ask, falling, schedule(400))
    assert found.values == {"step": 101, "found": 2.53e-4, "declared": 1e-3, "reached": 360}
    never = asked(ask, falling, schedule(100, 1e-4))
    assert "it never comes to the declared 0.001" in never.statement.en
    assert "始终没有达到配置的 0.001" in never.statement.zh


def test_a_jump_long_after_it_does_not_matter(ask, falling) -> None:
    lr = np.where(STEPS < 500, schedule(100), 1e-2)
    assert asked(ask, falling, lr).verdict is NO


def test_what_cannot_be_told(ask, falling) -> None:
    assert asked(ask, falling, schedule(100), warmup_steps=5000).verdict is UNKNOWN
    assert asked(ask, falling, schedule(100), warmup_steps=0).verdict is UNKNOWN
    sparse = (STEPS[49::50], schedule(100)[49::50])
    assert asked(ask, falling, sparse).verdict is UNKNOWN
    kind = Kind.DIVERGENCE
    bare = ask("lr_misses_declared_peak", kind, 600, loss=falling, lr=schedule(100))
    assert (bare.verdict, bare.missing_config) == (UNKNOWN, ("warmup_steps",))


def test_a_constant_warm_up_ends_with_a_leap(ask, falling) -> None:
    lr = np.where(STEPS <= 100, 3e-4, 1e-3)
    assert asked(ask, falling, lr).verdict is NO
    late = np.where(STEPS <= 110, 3e-4, 1e-3)
    assert asked(ask, falling, late).verdict is YES


COSINE = {"schedule": "cosine", "total_steps": 1000, "warmup_steps": 100}


def cosine(total: int = 1000, floor: float = 0.0) -> np.ndarray:
    done = np.clip((STEPS - 100) / (total - 100), 0, 1)
    decay = floor + (1 - floor) * 0.5 * (1 + np.cos(np.pi * done))
    return schedule(100) * decay


def departs(ask, loss, lr: np.ndarray, **config: float | str):
    kind = Kind.DIVERGENCE
    config = {"lr": 1e-3} | COSINE | config
    return ask("lr_departs_from_schedule", kind, 600, loss=loss, lr=lr, config=config)


def test_a_schedule_that_is_followed(ask, falling) -> None:
    assert departs(ask, falling, cosine()).verdict is NO
    assert departs(ask, falling, cosine(floor=0.1)).verdict is NO
    assert departs(ask, falling, schedule(100), schedule="constant_with_warmup").verdict is NO
    linear = schedule(100) * np.minimum(1, (1000 - STEPS) / 900)
    assert departs(ask, falling, linear, schedule="linear").verdict is NO


def test_the_first_step_that_differs_is_told(ask, falling) -> None:
    lr = np.where((STEPS >= 400) & (STEPS < 420), 5e-3, cosine())
    found = departs(ask, falling, lr)
    assert (found.verdict, found.values["step"], found.values["found"]) == (YES, 400, 5e-3)


def test_a_schedule_of_another_length(ask, falling) -> None:
    short = departs(ask, falling, cosine(500))
    assert short.verdict is YES
    # The curves are .15 apart where the shorter one has come down to that.
    assert 200 <= short.values["step"] <= 300


def test_a_schedule_that_moves_once_an_epoch_is_followed(ask, falling) -> None:
    lr = cosine()[(np.maximum(STEPS // 200 * 200, 100)) - 1]
    assert departs(ask, falling, lr, steps_per_epoch=200).verdict is NO
    assert departs(ask, falling, lr).verdict is YES


def test_schedules_that_are_not_known(ask, falling) -> None:
    assert departs(ask, falling, cosine(), schedule="cosine_with_restarts").verdict is UNKNOWN
    assert departs(ask, falling, cosine(), schedule="inverse_sqrt").verdict is UNKNOWN
    lost = departs(ask, falling, cosine(), total_steps="many")
    assert (lost.verdict, lost.missing_config) == (UNKNOWN, ("total_steps",))
    counted = departs(ask, falling, cosine(), total_steps="", epochs=5, steps_per_epoch=200)
    assert counted.verdict is NO


def test_a_rate_below_zero_needs_no_declared_schedule(ask, falling) -> None:
    lr = 1e-3 * (1 - np.arange(1000) / 600)
    found = ask("lr_departs_from_schedule", Kind.DIVERGENCE, 700, 700, 1000, loss=falling, lr=lr)
    assert (found.verdict, found.values["step"]) == (YES, 602)
    jumped = ask("lr_jumped_up", Kind.DIVERGENCE, 700, 700, 1000, loss=falling, lr=lr)
    assert jumped.verdict is UNKNOWN
