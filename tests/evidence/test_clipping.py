from __future__ import annotations

import numpy as np
import pytest

from spikedoc.model.evidence import Verdict
from spikedoc.model.label import Kind

YES, NO, UNKNOWN = Verdict.SUPPORTS, Verdict.REFUTES, Verdict.UNKNOWN
SPIKE = Kind.ISOLATED_SPIKE


@pytest.mark.parametrize(("clip", "verdict"), [(0.5, YES), (5.0, NO), (0, NO)])
def test_saturated_with_a_known_threshold(ask, steady, clip, verdict) -> None:
    config = {"clip": clip}
    kind = Kind.CLIP_SATURATED
    found = ask("grad_clip_saturated", kind, 1, 1, 1000, grad_norm=steady, config=config)
    assert found.verdict is verdict


def test_a_ceiling_shows_clipping_without_config(ask, steady) -> None:
    kind = Kind.CLIP_SATURATED
    ceiling = np.minimum(steady, 0.95)
    found = ask("grad_clip_saturated", kind, 1, 1, 1000, grad_norm=ceiling)
    assert (found.verdict, found.values["clip"]) == (YES, 0.95)
    unknown = ask("grad_clip_saturated", kind, 1, 1, 1000, grad_norm=steady)
    assert (unknown.verdict, unknown.missing_config) == (UNKNOWN, ("clip",))


def test_nothing_held_the_gradient_back(ask, falling, steady) -> None:
    grad = steady.copy()
    grad[599] = 20.0
    parts = {"loss": falling, "grad_norm": grad}
    name = "grad_exceeds_clip_habit"
    assert ask(name, SPIKE, 600, config={"clip": 0}, **parts).verdict is YES
    assert ask(name, SPIKE, 600, config={"clip": 50.0}, **parts).verdict is YES
    assert ask(name, SPIKE, 600, config={"clip": 1.0}, **parts).verdict is NO
    assert ask(name, SPIKE, 600, **parts).verdict is UNKNOWN
    assert ask(name, SPIKE, 700, config={"clip": 0}, **parts).verdict is NO


def test_loose_and_off(ask, falling, steady) -> None:
    parts = {"loss": falling, "grad_norm": steady}
    # P99 of a lognormal with sigma .1 is exp(.233) = 1.26.
    loose = ask("clip_is_loose", SPIKE, 600, config={"clip": 10.0}, **parts)
    assert loose.verdict is YES
    assert loose.values["usual"] == pytest.approx(1.26, abs=0.08)
    assert ask("clip_is_loose", SPIKE, 600, config={"clip": 1.0}, **parts).verdict is NO
    assert ask("clip_is_loose", SPIKE, 600, **parts).verdict is UNKNOWN
    assert ask("clip_is_off", SPIKE, 600, config={"clip": 0.0}, **parts).verdict is YES
    assert ask("clip_is_off", SPIKE, 600, config={"clip": "none"}, **parts).verdict is YES
    assert ask("clip_is_off", SPIKE, 600, config={"clip": 1.0}, **parts).verdict is NO
    assert ask("clip_is_off", SPIKE, 600, **parts).verdict is UNKNOWN


def saturated(ask, norms: list[float], **config: float):
    parts = {"grad_norm": norms, "config": config}
    return ask("grad_clip_saturated", Kind.CLIP_SATURATED, 1, 1, len(norms), **parts)


@pytest.mark.parametrize(
    ("at_top", "near", "verdict"),
    [
        (10, 1.0, YES),
        (9, 1.0, UNKNOWN),
        (10, 0.9991, YES),
        (10, 0.9989, UNKNOWN),
        (20, 1.0, UNKNOWN),
    ],
)
def test_half_of_the_norms_at_one_ceiling(ask, at_top: int, near: float, verdict) -> None:
    # Within a thousandth of the highest; all of them at it are a norm that stands still.
    norms = [1.0] + [near] * (at_top - 1) + [0.5] * (20 - at_top)
    found = saturated(ask, norms)
    assert found.verdict is verdict
    if verdict is YES:
        assert found.values == {"percent": 50.0, "clip": 1.0}


@pytest.mark.parametrize(
    ("below", "value", "percent", "verdict"),
    [(0, 0.5, 100.0, YES), (1, 0.5, 90.0, NO), (1, 0.9991, 100.0, YES)],
)
def test_more_than_nine_norms_in_ten_above_the_threshold(
    ask, below, value, percent, verdict
) -> None:
    # Of the second half of the log.
    norms = [0.1] * 10 + [value] * below + [2.0 + i for i in range(10 - below)]
    found = saturated(ask, norms, clip=1.0)
    assert found.verdict is verdict
    assert found.values == {"percent": percent, "clip": 1.0}


def test_twenty_norms_show_clipping(ask) -> None:
    norms = [2.0 + i for i in range(20)]
    assert saturated(ask, norms, clip=1.0).verdict is YES
    assert saturated(ask, norms[:19], clip=1.0).verdict is UNKNOWN
    assert saturated(ask, norms, clip=-1.0).values["percent"] == 0.0


def jumped(factor: float, at: int = 600, n: int = 1000) -> np.ndarray:
    out = np.ones(n)
    out[at - 1] = factor
    return out


@pytest.mark.parametrize(
    ("clip", "factor", "verdict"),
    [
        *((3.0, 9.0, NO), (3.1, 9.0, YES), (0.0, 3.0, YES), (0.0, 2.99, NO), (-1.0, 3.0, YES)),
        *((None, 3.0, UNKNOWN), (None, 2.99, NO)),
    ],
)
def test_a_jump_that_no_threshold_caught(ask, clip, factor: float, verdict: Verdict) -> None:
    # Of norms that all are 1 the threshold lies above three times the usual.
    config = {} if clip is None else {"clip": clip}
    parts = {"loss": np.ones(1000), "grad_norm": jumped(factor), "config": config}
    found = ask("grad_exceeds_clip_habit", SPIKE, 600, **parts)
    assert found.verdict is verdict
    if clip is not None:
        assert found.values == {"factor": factor, "clip": max(clip, 0), "usual": 1.0}


@pytest.mark.parametrize(
    ("clip", "verdict"), [(3.0, NO), (3.1, YES), (0.0, UNKNOWN), (-1.0, UNKNOWN)]
)
def test_three_times_the_usual_norm_is_loose(ask, clip: float, verdict: Verdict) -> None:
    parts = {"loss": np.ones(1000), "grad_norm": np.ones(1000), "config": {"clip": clip}}
    found = ask("clip_is_loose", SPIKE, 600, **parts)
    assert found.verdict is verdict
    if verdict is not UNKNOWN:
        assert found.values == {"clip": clip, "usual": 1.0}


@pytest.mark.parametrize(("points", "verdict"), [(20, YES), (19, UNKNOWN)])
def test_before_an_early_anomaly_the_first_norms_stand_in(ask, points: int, verdict) -> None:
    parts = {"loss": np.ones(points), "grad_norm": np.ones(points), "config": {"clip": 9.0}}
    assert ask("clip_is_loose", SPIKE, 10, **parts).verdict is verdict


@pytest.mark.parametrize(
    ("clip", "verdict"),
    [(-1.0, YES), (0, YES), (False, YES), ("Off", YES), (0.1, NO), ("x", UNKNOWN)],
)
def test_how_clipping_is_switched_off(ask, clip: object, verdict: Verdict) -> None:
    found = ask("clip_is_off", SPIKE, 9, grad_norm=np.ones(20), config={"clip": clip})
    assert found.verdict is verdict
