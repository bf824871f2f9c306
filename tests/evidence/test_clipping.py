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
