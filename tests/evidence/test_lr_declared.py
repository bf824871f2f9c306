from __future__ import annotations

import numpy as np
import pytest
from levels import pieces

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


def peak(ask, rate, **config: float):
    parts = {"loss": np.ones(1000), "lr": rate, "config": {"lr": 1.0, "warmup_steps": 100} | config}
    return ask("lr_misses_declared_peak", Kind.DIVERGENCE, 600, **parts)


@pytest.mark.parametrize(
    ("found", "verdict"), [(0.9, NO), (0.89, YES), (1.09, NO), (1.11, YES), (1.0, NO)]
)
def test_the_peak_within_a_tenth(ask, found: float, verdict: Verdict) -> None:
    said = peak(ask, pieces((98, 0.5), (902, found)))
    assert said.verdict is verdict
    reached = {"reached": 99} if found >= 0.9 else {}
    assert said.values == {"step": 99, "found": found, "declared": 1.0} | reached


@pytest.mark.parametrize(("at", "verdict"), [(98, YES), (99, NO), (100, NO), (101, NO), (102, YES)])
def test_the_points_around_the_declared_end(ask, at: int, verdict: Verdict) -> None:
    lr = np.full(1000, 0.5)
    lr[at - 1] = 1.0
    found = peak(ask, lr)
    assert found.verdict is verdict
    assert found.values["reached"] == at


@pytest.mark.parametrize(
    ("first", "stride", "points", "verdict"),
    [
        *((1, 10, 100, YES), (1, 11, 100, UNKNOWN)),  # a tenth of the warm-up apart
        *((100, 1, 100, UNKNOWN), (99, 1, 100, YES)),  # it has to begin before the end
        *((97, 1, 5, YES), (97, 1, 4, UNKNOWN), (96, 1, 5, YES), (95, 1, 5, UNKNOWN)),
    ],
)
def test_the_log_has_to_show_the_end_of_the_warm_up(ask, first, stride, points, verdict) -> None:
    steps = first + stride * np.arange(points)
    assert peak(ask, (steps, np.full(points, 0.5))).verdict is verdict


@pytest.mark.parametrize(("lr", "warmup"), [(0.0, 100), (-1.0, 100), (1.0, 0), (1.0, -1)])
def test_what_is_not_declared_is_not_missed(ask, lr: float, warmup: float) -> None:
    assert peak(ask, np.full(1000, 0.5), lr=lr, warmup_steps=warmup).verdict is UNKNOWN


def course(ask, schedule: str, at: tuple[int, int], value: float, **config: float):
    """Ask about a rate of 1 that follows its schedule but between two steps, both included."""
    total = config.get("total_steps", 1000)
    done = np.clip((STEPS - config.get("warmup_steps", 0)) / total, 0, 1)
    shares = {"constant": np.ones(1000), "linear": 1 - done}
    lr = shares.get(schedule, 0.5 * (1 + np.cos(np.pi * done))).copy()
    lr[at[0] - 1 : at[1]] = value
    config = {"lr": 1.0, "schedule": schedule, "total_steps": total} | config
    parts = {"loss": np.ones(1000), "lr": lr, "config": config}
    return ask("lr_departs_from_schedule", Kind.DIVERGENCE, 600, **parts)


@pytest.mark.parametrize(
    ("at", "value", "verdict"),
    [
        *(((400, 402), 0.84, YES), ((400, 402), 0.86, NO)),  # .15 of the peak
        *(((400, 402), 1.16, YES), ((400, 402), 1.14, NO)),
        *(((400, 401), 0.5, NO), ((400, 400), 0.5, NO)),  # three in a row
    ],
)
def test_a_departure_of_three_points(ask, at, value: float, verdict: Verdict) -> None:
    found = course(ask, "constant", at, value)
    assert found.verdict is verdict
    told = {"step": 400, "found": value} if verdict is YES else {"step": 1000, "found": 1.0}
    assert found.values == told | {"expected": 1.0, "name": "constant", "total": 1000.0}


@pytest.mark.parametrize(
    ("schedule", "step", "expected"),
    [("linear", 250, 0.75), ("linear", 500, 0.5), ("cosine", 250, 0.854), ("cosine", 500, 0.5)],
)
def test_what_a_schedule_leaves_of_the_peak(ask, schedule: str, step: int, expected: float) -> None:
    found = course(ask, schedule, (step, step + 2), 0.01)
    assert (found.verdict, found.values["step"]) == (YES, step)
    assert found.values["expected"] == expected


@pytest.mark.parametrize(("first", "verdict"), [(797, YES), (798, NO)])
def test_where_a_fifth_is_left_the_floor_decides(ask, first: int, verdict: Verdict) -> None:
    # .2 is left at step 800.
    assert course(ask, "linear", (first, 1000), 0.5).verdict is verdict


@pytest.mark.parametrize(("last", "verdict"), [(112, NO), (113, YES)])
def test_what_is_a_tenth_behind_the_warm_up_is_compared(ask, last: int, verdict: Verdict) -> None:
    assert course(ask, "constant", (100, last), 0.5, warmup_steps=100).verdict is verdict


@pytest.mark.parametrize(("first", "verdict"), [(498, YES), (499, NO)])
def test_what_lies_behind_the_end_is_not_compared(ask, first: int, verdict: Verdict) -> None:
    assert course(ask, "constant", (first, 600), 0.5, total_steps=500).verdict is verdict


@pytest.mark.parametrize(
    ("config", "verdict"),
    [
        *(({"total_steps": 5}, NO), ({"total_steps": 4}, UNKNOWN)),
        *(({"total_steps": 100, "warmup_steps": 100}, UNKNOWN), ({"lr": 0.0}, UNKNOWN)),
        ({"warmup_steps": -50}, NO),
    ],
)
def test_a_plan_has_to_hold_five_points(ask, config: dict[str, float], verdict: Verdict) -> None:
    assert course(ask, "constant", (400, 400), 1.0, **config).verdict is verdict


def test_epochs_times_their_steps_are_the_plan(ask) -> None:
    counted = {"total_steps": "", "epochs": 4, "steps_per_epoch": 250, "lr": 1.0}
    parts = {
        "loss": np.ones(1000),
        "lr": np.ones(1000),
        "config": counted | {"schedule": "constant"},
    }
    found = ask("lr_departs_from_schedule", Kind.DIVERGENCE, 600, **parts)
    assert found.values["total"] == 1000.0


def test_how_far_below_zero_it_went(ask) -> None:
    lr = pieces((400, 1.0), (300, -0.25), (300, -0.5))
    found = ask("lr_departs_from_schedule", Kind.DIVERGENCE, 600, loss=np.ones(1000), lr=lr)
    assert (found.verdict, found.values) == (YES, {"step": 401, "lowest": -0.5})
