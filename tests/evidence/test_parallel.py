from __future__ import annotations

import numpy as np

from spikedoc.model.evidence import Verdict
from spikedoc.model.label import Kind

YES, NO, UNKNOWN = Verdict.SUPPORTS, Verdict.REFUTES, Verdict.UNKNOWN
KIND = Kind.ISOLATED_SPIKE
RNG = np.random.default_rng(13)


def ranks(lifted: dict[int, float], count: int = 4) -> dict[int, np.ndarray]:
    out = {}
    for rank in range(count):
        values = np.exp(RNG.normal(0, 0.1, 1000))
        values[599] *= lifted.get(rank, 1.0)
        out[rank] = values
    return out


def test_one_rank(ask, falling) -> None:
    parts = {"loss": falling, "ranks": ranks({2: 40.0})}
    found = ask("one_rank_leads", KIND, 600, **parts)
    assert (found.verdict, found.values["rank"]) == (YES, 2)
    assert ask("ranks_agree", KIND, 600, **parts).verdict is NO


def test_all_ranks(ask, falling) -> None:
    parts = {"loss": falling, "ranks": ranks(dict.fromkeys(range(4), 40.0))}
    assert ask("one_rank_leads", KIND, 600, **parts).verdict is NO
    assert ask("ranks_agree", KIND, 600, **parts).verdict is YES


def test_without_ranks(ask, falling) -> None:
    assert ask("one_rank_leads", KIND, 600, loss=falling).verdict is UNKNOWN
    assert ask("ranks_agree", KIND, 600, loss=falling, ranks=ranks({}, 1)).verdict is UNKNOWN


def test_component_noise(ask, falling) -> None:
    quiet, loud = falling, 2 + RNG.normal(0, 1.0, 1000)
    kind = Kind.OSCILLATION
    parts = {"loss": quiet + loud, "components": {"main": quiet, "aux": loud}}
    found = ask("component_carries_noise", kind, 1, 1, 1000, **parts)
    assert (found.verdict, found.values["name"]) == (YES, "aux")
    # A total that swings with its only noise is not told from a second, equal one.
    even = {"loss": loud + loud[::-1], "components": {"a": loud, "b": loud[::-1]}}
    assert ask("component_carries_noise", kind, 1, 1, 1000, **even).verdict is NO
    assert ask("component_carries_noise", kind, 1, loss=falling).verdict is UNKNOWN
    one = {"loss": loud, "components": {"a": loud}}
    assert ask("component_carries_noise", kind, 1, **one).verdict is UNKNOWN


def test_component_jump(ask, falling) -> None:
    jumped = falling.copy()
    jumped[599] *= 10
    parts = {"loss": falling + jumped, "components": {"main": falling, "aux": jumped}}
    found = ask("component_leads", KIND, 600, **parts)
    assert (found.verdict, found.values["name"]) == (YES, "aux")
    both = {"loss": 2 * jumped, "components": {"main": jumped, "aux": jumped}}
    assert ask("component_leads", KIND, 600, **both).verdict is NO
