from __future__ import annotations

import numpy as np
import pytest
from levels import pieces

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


def halved(at: int, times: int, *, n: int = 1001, first: float = 2.0**16) -> np.ndarray:
    """Return a scale that grew at step 3 and is halved so many times in a row from a step on."""
    exponents = np.clip(np.arange(1, n + 1) - at + 1, 0, times)
    scale = first * 0.5**exponents
    scale[:2] /= 2
    return scale


@pytest.mark.parametrize(("times", "verdict"), [(3, NO), (4, YES)])
def test_four_halvings_in_a_row(ask, times: int, verdict: Verdict) -> None:
    scale = halved(501, times)
    found = ask("loss_scale_chain", KIND, 502, loss_scale=scale)
    assert found.verdict is verdict
    told = {"halvings": times, "first": 501, "last": 500 + times}
    assert found.values == told | {"before": 2.0**16, "after": 2.0 ** (16 - times)}
    healthy = ask("loss_scale_is_healthy", KIND, 502, loss_scale=scale)
    assert healthy.verdict is (NO if verdict is YES else YES)
    assert healthy.values == {"longest": times, "growths": 1, "last": 2.0 ** (16 - times)}


@pytest.mark.parametrize(
    ("start", "end", "verdict"),
    [(554, 554, YES), (555, 555, NO), (451, 451, YES), (450, 450, NO), (100, 451, YES)],
)
def test_a_chain_near_the_onset(ask, start: int, end: int, verdict: Verdict) -> None:
    # It lasts from 501 to 504; a twentieth of the 1000 steps is 50.
    found = ask("loss_scale_chain", KIND, start, start, end, loss_scale=halved(501, 4))
    assert found.verdict is verdict
    assert found.values["halvings"] == (4 if verdict is YES else 0)


def test_the_longest_of_the_chains_near_it(ask) -> None:
    scale = halved(501, 2) * halved(531, 5) / 2.0**16
    assert ask("loss_scale_chain", KIND, 520, loss_scale=scale).values["halvings"] == 5


@pytest.mark.parametrize(("points", "verdict"), [(3, UNKNOWN), (4, NO)])
def test_four_records_that_stand_still_show_no_chain(ask, points: int, verdict: Verdict) -> None:
    found = ask("loss_scale_chain", KIND, 1, loss_scale=[512.0] * points)
    assert found.verdict is verdict


@pytest.mark.parametrize(("last", "search", "healthy"), [(51, YES, YES), (52, NO, NO)])
def test_the_search_takes_a_twentieth_of_the_run(ask, last: int, search, healthy) -> None:
    # Of 1000 steps from 1 on, the first 51; five halvings are a chain afterwards.
    scale = halved(last - 4, 5)
    found = ask("loss_scale_search", KIND, 5, loss_scale=scale)
    assert found.verdict is search
    assert found.values == {"last": last, "count": 5}
    assert ask("loss_scale_is_healthy", KIND, 5, loss_scale=scale).verdict is healthy


@pytest.mark.parametrize(("first", "healthy"), [(8.0, NO), (8.1, YES)])
def test_a_scale_of_one_is_useless(ask, first: float, healthy: Verdict) -> None:
    # Halved three times: to 1, and just above it.
    found = ask("loss_scale_is_healthy", KIND, 502, loss_scale=halved(501, 3, first=first))
    assert found.verdict is healthy


@pytest.mark.parametrize(
    ("first", "points", "verdict"), [(8.0, 5, YES), (8.0, 4, NO), (8.1, 5, NO)]
)
def test_five_points_at_the_floor(ask, first: float, points: int, verdict: Verdict) -> None:
    scale = halved(501, 3, n=503 + points - 1, first=first)
    found = ask("loss_scale_at_floor", KIND, 502, loss_scale=scale)
    assert found.verdict is verdict
    assert found.values == {"last": pytest.approx(first / 8), "points": points}


def test_what_only_grows_moves_too(ask) -> None:
    grown = pieces((500, 1024.0), (501, 2048.0))
    said = {"chain": NO, "is_healthy": YES, "at_floor": NO, "search": UNKNOWN}
    assert verdicts(ask, grown, 700) == said
    assert ask("fp16_in_use", KIND, 1, loss_scale=grown).values["how"] == "loss_scale 1024 → 2048"


@pytest.mark.parametrize(
    ("zeros", "loss", "verdict"),
    [
        *((5, 0.0, YES), (4, 0.0, NO), (5, np.nan, YES), (5, np.inf, YES), (5, 1.0, NO)),
    ],
)
def test_five_updates_at_a_rate_of_zero(ask, zeros: int, loss: float, verdict: Verdict) -> None:
    parts = {"lr": pieces((zeros, 0.0), (50, 1e-3)), "loss": pieces((5, loss), (50, 1.0))}
    found = ask("lr_zero_while_skipping", Kind.NONFINITE, 1, 1, 50, **parts)
    assert found.verdict is verdict
    assert found.values == {"points": min(zeros, 5)}


@pytest.mark.parametrize(("points", "verdict"), [(4, UNKNOWN), (5, YES)])
@pytest.mark.parametrize("metric", ["lr", "loss"])
def test_five_points_of_rate_and_loss(ask, metric: str, points: int, verdict: Verdict) -> None:
    parts = {"lr": np.zeros(50), "loss": np.zeros(50)} | {metric: np.zeros(points)}
    assert ask("lr_zero_while_skipping", Kind.NONFINITE, 1, **parts).verdict is verdict


def test_a_scale_that_falls_holds_the_rate_at_zero(ask) -> None:
    parts = {"lr": np.zeros(50), "loss": np.ones(50)}
    name = "lr_zero_while_skipping"
    falling = ask(name, KIND, 1, loss_scale=halved(10, 5, n=50), **parts)
    still = ask(name, KIND, 1, loss_scale=np.full(50, 1024.0), **parts)
    assert (falling.verdict, still.verdict) == (YES, NO)


@pytest.mark.parametrize(
    ("norm", "scale", "verdict"),
    [
        *((1000.0, 1000.0, YES), (999.0, 1000.0, NO)),
        *((1e4, 100.0, YES), (1e4, 99.0, UNKNOWN), (10100.0, 100.0, NO)),
        *((1024.0, 102400.0, YES), (1024.0, 102500.0, NO)),
    ],
)
def test_a_norm_that_is_the_scale_times_a_usual_one(ask, norm, scale, verdict) -> None:
    # A thousand at least, and .01 to 100 times a scale of 100 and more.
    parts = {"grad_norm": np.full(20, norm), "loss_scale": np.full(20, scale)}
    found = ask("grad_is_of_scale_size", Kind.CLIP_SATURATED, 1, loss=np.ones(20), **parts)
    assert found.verdict is verdict
    if verdict is not UNKNOWN:
        level, ratio = (pytest.approx(value, rel=5e-3) for value in (norm, norm / scale))
        assert found.values == {"level": level, "scale": scale, "ratio": ratio}


def test_twenty_norms_make_a_level(ask) -> None:
    parts = {"grad_norm": np.full(19, 1e5), "loss_scale": np.full(20, 1e4)}
    found = ask("grad_is_of_scale_size", Kind.CLIP_SATURATED, 1, loss=np.ones(20), **parts)
    assert found.verdict is UNKNOWN


@pytest.mark.parametrize(("framework", "said"), [("ultralytics", YES), ("hf", UNKNOWN)])
def test_half_precision_unless_told_otherwise(ask, framework: str, said: Verdict) -> None:
    parts = {"loss": [np.nan] * 3, "form": Form.FROM_START, "config": {"framework": framework}}
    assert ask("fp16_in_use", Kind.NONFINITE, 1, **parts).verdict is said
    parts = {"loss": [1.0, 2.0, 9.0], "config": {"framework": framework}}
    assert ask("fp16_in_use", Kind.DIVERGENCE, 2, form=Form.FINITE, **parts).verdict is UNKNOWN
