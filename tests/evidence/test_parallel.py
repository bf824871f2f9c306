from __future__ import annotations

import numpy as np
import pytest
from levels import alike

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


def lifted(*factors: float) -> dict[int, np.ndarray]:
    out = {rank: np.ones(1000) for rank in range(len(factors))}
    for rank, factor in enumerate(factors):
        out[rank][599:601] = factor
    return out


@pytest.mark.parametrize(
    ("factors", "rank", "verdict"),
    [
        *(((1.0, 3.0, 1.0), 1, YES), ((1.0, 2.99, 1.0), 1, NO)),
        *(((2.0, 2.0, 6.0), 2, YES), ((2.0, 2.0, 5.9), 2, NO), ((9.0, 1.0), 0, YES)),
        # Logs of 0, .5 and 1 scatter by 1.4826 x .5: six of that above 1 is 5.45.
        ((np.exp(5.5), 1.0, np.exp(0.5), np.exp(1.0)), 0, YES),
        ((np.exp(5.4), 1.0, np.exp(0.5), np.exp(1.0)), 0, NO),
    ],
)
def test_how_far_one_rank_leads(ask, factors, rank: int, verdict: Verdict) -> None:
    parts = {"loss": np.ones(1000), "ranks": lifted(*factors)}
    found = alike(ask, ("ranks",), "one_rank_leads", KIND, 600, **parts)
    assert found.verdict is verdict
    first, second = sorted(factors, reverse=True)[:2]
    near = {"factor": first, "others": second}
    assert found.values == {"rank": rank} | {
        name: pytest.approx(value, rel=5e-3) for name, value in near.items()
    }


@pytest.mark.parametrize(
    ("factors", "verdict"),
    [((1.0, 2.0, 1.5), YES), ((1.0, 2.01, 1.5), NO), ((0.0, 0.0), NO), ((4.0, 2.0), YES)],
)
def test_ranks_agree_within_a_factor_of_two(ask, factors, verdict: Verdict) -> None:
    found = ask("ranks_agree", KIND, 600, loss=np.ones(1000), ranks=lifted(*factors))
    assert found.verdict is verdict
    assert found.values == {"count": len(factors), "low": min(factors), "high": max(factors)}


def together(share: float, points: int = 41) -> dict[str, object]:
    """Return a total of two terms, of whose moves the first has this share of the variance."""
    moves = np.arange(points - 1)
    a = np.sqrt(share) * (-1.0) ** moves
    b = np.sqrt(1 - share) * (-1.0) ** (moves // 2)  # as often alike as not
    terms = {"a": np.append(0.0, np.cumsum(a)), "b": np.append(0.0, np.cumsum(b))}
    return {"loss": terms["a"] + terms["b"], "components": terms}


@pytest.mark.parametrize(
    ("share", "percent", "name", "verdict"), [(0.71, 71.0, "a", YES), (0.69, 69.0, "a", NO)]
)
def test_seven_tenths_of_the_moves(ask, share, percent, name, verdict) -> None:
    found = ask("component_carries_noise", Kind.OSCILLATION, 1, 1, 41, **together(share))
    assert found.verdict is verdict
    assert found.values["percent"] == pytest.approx(percent)
    assert found.values["name"].endswith(name)


@pytest.mark.parametrize(("points", "verdict"), [(30, YES), (29, UNKNOWN)])
def test_thirty_points_of_moves(ask, points: int, verdict: Verdict) -> None:
    parts = together(0.9, points)
    assert ask("component_carries_noise", Kind.OSCILLATION, 1, **parts).verdict is verdict


def test_terms_that_swing_with_their_total_are_no_source(ask) -> None:
    half = together(0.9)["components"]["a"]
    parts = {"loss": 2 * half, "components": {"a": half, "b": half}}
    assert ask("component_carries_noise", Kind.OSCILLATION, 1, **parts).verdict is NO
    against = {"loss": half, "components": {"a": -half, "b": np.zeros(half.size)}}
    assert ask("component_carries_noise", Kind.OSCILLATION, 1, **against).verdict is NO


@pytest.mark.parametrize(
    ("first", "second", "verdict"), [(3.0, 1.49, YES), (2.99, 1.0, NO), (3.0, 1.5, NO)]
)
def test_one_term_jumps_and_the_others_stay(ask, first, second, verdict: Verdict) -> None:
    ranks = lifted(second, first, 1.0)
    terms = {f"t{rank}": values for rank, values in ranks.items()}
    parts = {"loss": np.ones(1000), "components": terms}
    found = alike(ask, ("components",), "component_leads", KIND, 600, **parts)
    assert found.verdict is verdict
    assert (found.values["factor"], found.values["others"]) == (first, second)
    assert found.values["name"].endswith("t1")
