from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from spikedoc.model.evidence import Evidence, Verdict
from spikedoc.model.label import Kind

YES, NO, UNKNOWN = Verdict.SUPPORTS, Verdict.REFUTES, Verdict.UNKNOWN
ONSET, LENGTH = 500, 1000
SINCE = np.maximum(0, np.arange(LENGTH) - ONSET)


def course(seed: int, shape: np.ndarray, noise: float = 0.03) -> tuple[np.ndarray, np.ndarray]:
    """Return a loss and a gradient norm, both of which follow `shape` (a factor) from 500 on."""
    random = np.random.default_rng(seed)
    loss = 0.5 * shape * np.exp(noise * random.standard_normal(LENGTH))
    return loss, 0.8 * shape**1.5 * np.exp(0.2 * random.standard_normal(LENGTH))


SLOW = np.exp(SINCE / 200.0)
EVEN = 1.0 + SINCE / 100.0
AT_ONCE = np.where(SINCE > 0, 6.0, 1.0)
ONE_BATCH = 1.0 + 8.0 * (1 - np.exp(-SINCE / 8.0))


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("noise", [0.01, 0.06])
@pytest.mark.parametrize(
    ("shape", "climbs"), [(SLOW, True), (EVEN, True), (AT_ONCE, False), (ONE_BATCH, False)]
)
def test_a_slow_climb_is_no_jump(
    ask: Callable[..., Evidence], seed: int, noise: float, shape: np.ndarray, climbs: bool
) -> None:
    loss, grad = course(seed, shape, noise)

    def asked(name: str) -> Verdict:
        found = ask(name, Kind.DIVERGENCE, ONSET + 1, LENGTH, loss=loss, grad_norm=grad)
        return found.verdict

    assert (asked("climbs_evenly") is YES) is climbs
    assert (asked("grad_ramps_before") is YES) is climbs
    assert asked("grad_jumps_far") is (NO if climbs else YES)
    assert asked("grad_calm_before") is (NO if climbs else YES)


def test_a_calm_gradient_does_not_climb_along(ask: Callable[..., Evidence]) -> None:
    loss, _ = course(1, SLOW)
    grad = np.exp(0.2 * np.random.default_rng(2).standard_normal(LENGTH))
    found = ask("grad_ramps_before", Kind.DIVERGENCE, ONSET, LENGTH, loss=loss, grad_norm=grad)
    assert found.verdict is NO


def test_a_slow_climb_outlasts_a_batch_and_says_how_far(ask: Callable[..., Evidence]) -> None:
    loss, _ = course(3, SLOW)
    found = ask("outlasts_a_batch", Kind.DIVERGENCE, ONSET, LENGTH, loss=loss)
    assert found.verdict is YES
    assert found.values["last"] == LENGTH
    assert 0.7 * SLOW[-1] < float(found.values["factor"]) < SLOW[-1]


def test_thirty_records_are_too_few_to_tell(ask: Callable[..., Evidence]) -> None:
    loss, _ = course(4, SLOW)
    found = ask("climbs_evenly", Kind.DIVERGENCE, LENGTH - 30, LENGTH, loss=loss)
    assert found.verdict is UNKNOWN
