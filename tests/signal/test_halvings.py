from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spikedoc.signal.halvings import Chain, loss_scale


def steps(values: np.ndarray) -> np.ndarray:
    return np.arange(1, values.size + 1)


def test_single_halvings_and_growths() -> None:
    values = np.repeat([1024.0, 512.0, 1024.0, 512.0], 50)
    scale = loss_scale(steps(values), values)
    assert scale is not None
    assert [chain.halvings for chain in scale.chains] == [1, 1]
    assert (scale.growths, scale.first, scale.last, scale.at_last) == (1, 1024.0, 512.0, 50)


def test_halvings_far_apart_are_two_chains() -> None:
    values = np.repeat([1024.0, 512.0, 256.0], 50)
    scale = loss_scale(steps(values), values)
    assert scale is not None
    assert [chain.halvings for chain in scale.chains] == [1, 1]


def test_a_chain() -> None:
    values = np.concatenate([np.full(100, 65536.0), 65536.0 * 0.5 ** np.arange(1, 11)])
    scale = loss_scale(steps(values), values)
    assert scale is not None
    (chain,) = scale.chains
    assert (chain.first, chain.last, chain.halvings) == (101, 110, 10)
    assert (chain.before, chain.after) == (65536.0, 64.0)


def test_several_halvings_between_two_logged_points() -> None:
    values = np.array([1024.0, 1024.0, 64.0, 4.0])
    scale = loss_scale(steps(values), values)
    assert scale is not None
    assert scale.chains[0].halvings == 8


def test_no_scale() -> None:
    assert loss_scale(np.zeros(0, dtype=int), np.zeros(0)) is None
    assert loss_scale(steps(np.zeros(5)), np.zeros(5)) is None
    constant = loss_scale(steps(np.ones(5)), np.ones(5))
    assert constant is not None
    assert constant.chains == ()


def test_the_smallest_number_there_is_can_be_halved_to_zero() -> None:
    tiny = float(np.nextafter(0.0, 1.0))
    found = loss_scale(np.arange(4), np.array([4 * tiny, 2 * tiny, tiny, 0.0]))
    assert found is not None
    assert [chain.halvings for chain in found.chains] == [2]


def plain_chains(steps: list[int], powers: list[int]) -> list[Chain]:
    """Falls in a row, at most ten points apart and without a rise between, of powers of two."""
    groups: list[list[int]] = []
    last = None
    for i in range(1, len(powers)):
        if powers[i] > powers[i - 1]:
            last = None
        elif powers[i] < powers[i - 1]:
            if last is None or i - last > 10:
                groups.append([])
            groups[-1].append(i)
            last = i
    return [
        Chain(
            steps[group[0]],
            steps[group[-1]],
            powers[group[0] - 1] - powers[group[-1]],
            2.0 ** powers[group[0] - 1],
            2.0 ** powers[group[-1]],
        )
        for group in groups
    ]


@given(st.lists(st.tuples(st.integers(1, 13), st.integers(-2, 1)), min_size=1, max_size=12))
def test_chains_are_those_of_the_definition(moves: list[tuple[int, int]]) -> None:
    powers: list[int] = []
    for length, change in moves:
        powers += [(powers[-1] if powers else 8) + change] * length
    at = [3 * i + 2 for i in range(len(powers))]
    found = loss_scale(np.array(at), 2.0 ** np.array(powers))
    assert found is not None
    assert list(found.chains) == plain_chains(at, powers)
    changed = [i for i in range(1, len(powers)) if powers[i] != powers[i - 1]]
    assert found.growths == sum(powers[i] > powers[i - 1] for i in changed)
    assert found.at_last == len(powers) - max(changed, default=0)
    assert (found.first, found.last) == (2.0 ** powers[0], 2.0 ** powers[-1])


@pytest.mark.parametrize(("share", "moved"), [(0.74, 1), (0.77, 0), (1.35, 1), (1.3, 0)])
def test_three_quarters_are_a_move(share: float, moved: int) -> None:
    """2 to the power of 0.4 is 1.32, and of -0.4 it is 0.758; 0.74 rounds to no whole halving."""
    found = loss_scale(np.arange(4), np.array([8.0, 8.0, 8.0 * share, 8.0 * share]))
    assert found is not None
    assert found.chains == ()
    assert found.growths == (moved if share > 1 else 0)
    assert found.at_last == (2 if moved else 4)


def test_an_underflow_to_zero_is_one_halving_more() -> None:
    found = loss_scale(np.arange(5), np.array([16.0, 8.0, 4.0, 0.0, 0.0]))
    assert found is not None
    assert [(c.halvings, c.before, c.after) for c in found.chains] == [(3, 16.0, 0.0)]
