from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from spikedoc.model.evidence import Evidence, Verdict
from spikedoc.model.label import Kind

YES, NO, UNKNOWN = Verdict.SUPPORTS, Verdict.REFUTES, Verdict.UNKNOWN
EVERY, LENGTH = 200, 2000
AT = np.arange(1, LENGTH + 1)
SINCE = AT % EVERY
WARM = AT > EVERY


def asked(
    ask: Callable[..., Evidence], name: str, shape: np.ndarray, seed: int, noise: float
) -> Evidence:
    """Ask about a loss that is up by `shape` (in logs), evaluated at every 200th step."""
    random = np.random.default_rng(seed)
    level = 0.4 + 2.0 * np.exp(-AT / 300.0)
    loss = level * np.exp(noise * random.standard_normal(LENGTH) + shape * WARM)
    evals = np.arange(EVERY, LENGTH + 1, EVERY)
    return ask(
        name,
        Kind.PERIODIC_SPIKES,
        EVERY + 1,
        LENGTH,
        LENGTH,
        loss=loss,
        val_loss=(evals, level[evals - 1]),
    )


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("noise", [0.01, 0.05])
@pytest.mark.parametrize("lasts", [4, 10])
def test_other_weights_settle_and_a_mode_is_switched_back(
    ask: Callable[..., Evidence], seed: int, noise: float, lasts: int
) -> None:
    settling = 1.2 * np.exp(-SINCE / lasts)
    mode = 1.2 * (lasts > SINCE)
    found = asked(ask, "settles_after_evaluation", settling, seed, noise)
    assert found.verdict is YES
    assert 2.0 < float(found.values["factor"]) < 4.0
    assert asked(ask, "settles_after_evaluation", mode, seed, noise).verdict is NO
    assert asked(ask, "lower_after_evaluation", settling, seed, noise).verdict is NO
    assert asked(ask, "lower_after_evaluation", mode, seed, noise).verdict is UNKNOWN


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("noise", [0.02, 0.1])
def test_a_rise_a_dip_and_a_rise_that_fades(
    ask: Callable[..., Evidence], seed: int, noise: float
) -> None:
    bump = 0.6 * (SINCE < 8)
    fading = 1.2 * np.exp(-SINCE / 10 - AT / 900)
    higher, fades = "higher_after_evaluation", "fades_over_the_run"
    assert asked(ask, higher, bump, seed, noise).verdict is YES
    assert asked(ask, higher, -bump, seed, noise).verdict is NO
    assert asked(ask, fades, fading, seed, noise).verdict is YES
    assert asked(ask, fades, bump, seed, noise).verdict is NO
    assert asked(ask, fades, -bump, seed, noise).verdict is UNKNOWN
    for name in (higher, fades):
        assert asked(ask, name, np.zeros(LENGTH), seed, noise).verdict is UNKNOWN


@pytest.mark.parametrize("seed", range(5))
def test_noise_has_no_course_after_evaluations(ask: Callable[..., Evidence], seed: int) -> None:
    found = asked(ask, "settles_after_evaluation", np.zeros(LENGTH), seed, 0.05)
    assert found.verdict is UNKNOWN


def test_a_run_without_evaluations_is_told_to_log_them(ask: Callable[..., Evidence]) -> None:
    found = ask("settles_after_evaluation", Kind.PERIODIC_SPIKES, 10, 20, 90, loss=np.ones(100))
    assert found.verdict is UNKNOWN
    assert found.missing
