from __future__ import annotations

import numpy as np

from spikedoc.signal.halvings import loss_scale


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
