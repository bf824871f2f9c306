from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from spikedoc.model.evidence import Evidence, Verdict
from spikedoc.model.label import Form, Kind
from spikedoc.model.run import Restart

YES, NO, UNKNOWN = Verdict.SUPPORTS, Verdict.REFUTES, Verdict.UNKNOWN
LENGTH, ONSET = 1600, 900
AT = np.arange(LENGTH)


def fallen(seed: int, noise: float) -> np.ndarray:
    """Return a loss that falls from 2.3 to 0.3."""
    random = np.random.default_rng(seed)
    return (0.3 + 2.0 * np.exp(-AT / 150.0)) * np.exp(noise * random.standard_normal(LENGTH))


def again(seed: int, noise: float) -> np.ndarray:
    """Return a loss that falls, and from 900 on falls from its first value once more."""
    loss = fallen(seed, noise)
    loss[ONSET:] = fallen(seed + 100, noise)[: LENGTH - ONSET]
    return loss


def hit(seed: int, height: float, lasts: float) -> np.ndarray:
    """Return a loss that one event lifts at 900, and that comes back within `lasts` points."""
    since = np.maximum(0, AT - ONSET)
    return fallen(seed, 0.03) + height * np.exp(-since / lasts) * (AT >= ONSET)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("noise", [0.01, 0.06])
def test_weights_that_learned_nothing_fall_as_at_first(
    ask: Callable[..., Evidence], seed: int, noise: float
) -> None:
    loss = again(seed, noise)
    found = ask("loss_begins_anew", Kind.SLOW_RECOVERY, ONSET + 1, ONSET + 1, 1200, loss=loss)
    assert found.verdict is YES
    assert found.values["step"] == ONSET + 1
    assert ask("near_restart", Kind.SLOW_RECOVERY, ONSET + 1, loss=loss).verdict is UNKNOWN
    assert ask("outlasts_a_batch", Kind.SLOW_RECOVERY, ONSET + 1, loss=loss).verdict is UNKNOWN


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize(("height", "lasts"), [(2.0, 15), (0.7, 150), (6.0, 150), (2.0, 5000)])
def test_another_height_or_way_back_is_no_second_beginning(
    ask: Callable[..., Evidence], seed: int, height: float, lasts: float
) -> None:
    loss = hit(seed, height, lasts)
    found = ask("loss_begins_anew", Kind.SLOW_RECOVERY, ONSET + 1, ONSET + 1, 1200, loss=loss)
    assert found.verdict is UNKNOWN
    assert ask("near_restart", Kind.SLOW_RECOVERY, ONSET + 1, loss=loss).verdict is NO


def test_where_restarts_are_marked_one_elsewhere_is_none(ask: Callable[..., Evidence]) -> None:
    loss, earlier = again(1, 0.03), (Restart(200, 199, "rewound"),)
    found = ask("near_restart", Kind.SLOW_RECOVERY, ONSET + 1, loss=loss, restarts=earlier)
    assert found.verdict is NO


def test_a_break_is_no_beginning(ask: Callable[..., Evidence]) -> None:
    loss = again(1, 0.03)
    loss[ONSET:] = np.nan
    found = ask("loss_begins_anew", Kind.NONFINITE, ONSET + 1, form=Form.PERSISTENT, loss=loss)
    assert found.verdict is UNKNOWN
