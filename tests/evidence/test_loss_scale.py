from __future__ import annotations

import numpy as np
import pytest

from spikedoc.model.evidence import Verdict
from spikedoc.model.label import Form, Kind

YES, NO, UNKNOWN = Verdict.SUPPORTS, Verdict.REFUTES, Verdict.UNKNOWN
KIND = Kind.LOSS_SCALE_COLLAPSE
SAWTOOTH = np.repeat([65536.0, 32768.0, 65536.0, 32768.0, 65536.0], 200)
SEARCH = np.concatenate([65536.0 * 0.5 ** np.arange(8), np.full(992, 512.0)])


def collapse(start: int) -> np.ndarray:
    out = SAWTOOTH.copy()
    out[start - 1 :] = out[start - 2] * 0.5 ** np.arange(1, out.size - start + 2)
    return out


def verdicts(ask, scale: np.ndarray, at: int) -> dict[str, Verdict]:
    names = ("chain", "is_healthy", "at_floor", "search")
    return {n: ask(f"loss_scale_{n}", KIND, at, at, 1000, loss_scale=scale).verdict for n in names}


def test_healthy(ask) -> None:
    assert verdicts(ask, SAWTOOTH, 700) == {
        "chain": NO, "is_healthy": YES, "at_floor": NO, "search": NO,
    }  # fmt: skip


def test_collapse(ask) -> None:
    assert verdicts(ask, collapse(900), 900) == {
        "chain": YES, "is_healthy": NO, "at_floor": NO, "search": NO,
    }  # fmt: skip
    found = ask("loss_scale_chain", KIND, 900, 900, 1000, loss_scale=collapse(900))
    assert found.values["halvings"] == 101
    assert found.values["before"] == 65536.0


def test_a_scale_that_reached_zero(ask) -> None:
    floor = np.concatenate([65536.0 * 0.5 ** np.arange(17), np.zeros(983)])
    found = verdicts(ask, floor, 17)
    assert found["chain"] is YES
    assert found["at_floor"] is YES


def test_search_at_the_start(ask) -> None:
    found = verdicts(ask, SEARCH, 5)
    assert found["search"] is YES
    assert found["is_healthy"] is YES


def test_a_constant_scale_says_nothing(ask) -> None:
    found = verdicts(ask, np.ones(1000), 700)
    assert found["is_healthy"] is UNKNOWN
    assert found["search"] is UNKNOWN
    assert found["at_floor"] is UNKNOWN


@pytest.mark.parametrize(
    ("precision", "half", "bfloat"),
    [
        ("fp16", YES, NO),
        ("bf16", NO, YES),
        ("bf16-mixed", NO, YES),
        ("fp32", NO, NO),
        (None, UNKNOWN, UNKNOWN),
    ],
)
def test_precision(ask, falling, precision, half, bfloat) -> None:
    config = {} if precision is None else {"precision": precision}
    assert ask("fp16_in_use", KIND, 700, loss=falling, config=config).verdict is half
    assert ask("bf16_in_use", KIND, 700, loss=falling, config=config).verdict is bfloat


def test_a_moving_scale_shows_fp16(ask) -> None:
    assert ask("fp16_in_use", KIND, 700, loss_scale=SAWTOOTH).verdict is YES


def test_schedule_never_starts(ask) -> None:
    parts = {"loss": np.zeros(200), "lr": np.zeros(200)}
    kind, name = Kind.NONFINITE, "lr_zero_while_skipping"
    assert ask(name, kind, 1, 1, 200, form=Form.MASKED, **parts).verdict is YES
    parts["lr"] = np.linspace(0, 1e-3, 200)
    assert ask(name, kind, 1, 1, 200, form=Form.MASKED, **parts).verdict is NO
    assert ask(name, Kind.OSCILLATION, 1, 1, 200, **parts).verdict is UNKNOWN


@pytest.mark.parametrize(
    ("norm", "scale", "verdict"),
    [(65536.0 * 3, 65536.0, YES), (3.0, 65536.0, NO), (5e4, 1e12, NO), (2e3, 16.0, UNKNOWN)],
)
def test_a_norm_times_the_scale(ask, falling, steady, norm, scale, verdict) -> None:
    parts = {"grad_norm": norm * steady, "loss_scale": np.full(1000, scale)}
    kind = Kind.CLIP_SATURATED
    found = ask("grad_is_of_scale_size", kind, 1, 1, 1000, loss=falling, **parts)
    assert found.verdict is verdict


@pytest.mark.parametrize(("scale", "said"), [([6e-5], YES), ([1.0], UNKNOWN), ([65536.0] * 3, YES)])
def test_a_scale_other_than_one_is_that_of_fp16(ask, scale: list[float], said: Verdict) -> None:
    assert ask("fp16_in_use", KIND, 1, loss_scale=scale).verdict is said


def test_a_few_records_cannot_show_that_there_was_no_chain(ask) -> None:
    assert ask("loss_scale_chain", KIND, 1, loss_scale=[6e-5]).verdict is UNKNOWN
    assert ask("loss_scale_chain", KIND, 1, loss_scale=[512.0] * 50).verdict is NO
