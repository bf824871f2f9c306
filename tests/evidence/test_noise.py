from __future__ import annotations

import numpy as np
import pytest

from spikedoc.model.evidence import Verdict
from spikedoc.model.label import Kind

YES, NO, UNKNOWN = Verdict.SUPPORTS, Verdict.REFUTES, Verdict.UNKNOWN
RNG = np.random.default_rng(5)


def test_noise_exceeds_learning(ask, falling) -> None:
    loud = falling + RNG.normal(0, 0.6, 1000).clip(-0.25, 2.0)
    assert ask("noise_exceeds_learning", Kind.OSCILLATION, 1, 1, 1000, loss=loud).verdict is YES
    assert ask("noise_exceeds_learning", Kind.OSCILLATION, 1, 1, 1000, loss=falling).verdict is NO
    assert ask("noise_exceeds_learning", Kind.OSCILLATION, 1, loss=falling[:20]).verdict is UNKNOWN


def test_alternating(ask, falling) -> None:
    flips = falling * np.exp(0.3 * (-1.0) ** np.arange(1000))
    assert ask("noise_alternates", Kind.OSCILLATION, 1, 1, 1000, loss=flips).verdict is YES
    assert ask("noise_alternates", Kind.OSCILLATION, 1, 1, 1000, loss=falling).verdict is NO
    assert ask("noise_alternates", Kind.OSCILLATION, 1, loss=np.ones(1000)).verdict is UNKNOWN


def test_smooth(ask, falling) -> None:
    wave = 1.0 + 0.3 * np.sin(np.arange(1000) / 4)
    assert ask("loss_is_smooth", Kind.OSCILLATION, 1, 1, 1000, loss=wave).verdict is YES
    assert ask("loss_is_smooth", Kind.OSCILLATION, 1, 1, 1000, loss=falling).verdict is NO


@pytest.mark.parametrize(("sign", "verdict"), [(1.0, YES), (-1.0, NO)])
def test_upper_tail(ask, sign, verdict) -> None:
    loss = np.exp(sign * RNG.exponential(0.3, 1000))
    found = ask("noise_has_upper_tail", Kind.OSCILLATION, 1, 1, 1000, loss=loss)
    assert found.verdict is verdict


def test_shrinks_with_loss(ask, falling) -> None:
    assert ask("noise_shrinks_with_loss", Kind.OSCILLATION, 1, loss=falling).verdict is YES
    growing = falling * np.exp(RNG.normal(0, 1.0, 1000) * np.linspace(0, 0.8, 1000))
    assert ask("noise_shrinks_with_loss", Kind.OSCILLATION, 1, loss=growing).verdict is NO
    level = np.exp(RNG.normal(0, 0.1, 1000))
    assert ask("noise_shrinks_with_loss", Kind.OSCILLATION, 1, loss=level).verdict is UNKNOWN


def to_bf16(values: np.ndarray) -> np.ndarray:
    """Round float32 to its upper 16 bits, half up in magnitude."""
    bits = values.astype(np.float32).view(np.uint32)
    return ((bits + 0x8000) & 0xFFFF0000).astype(np.uint32).view(np.float32).astype(np.float64)


def test_bf16_grid(ask, falling) -> None:
    kind = Kind.OSCILLATION
    grid = to_bf16(falling)
    assert ask("loss_on_bf16_grid", kind, 1, loss=grid).verdict is YES
    assert ask("loss_on_bf16_grid", kind, 1, loss=np.round(grid, 4)).verdict is YES
    single = falling.astype(np.float32).astype(np.float64)
    assert ask("loss_on_bf16_grid", kind, 1, loss=single).verdict is NO
    assert ask("loss_on_bf16_grid", kind, 1, loss=np.round(falling, 4)).verdict is NO
    # Two decimals near 1 hide the grid of .0078.
    assert ask("loss_on_bf16_grid", kind, 1, loss=np.round(falling, 2)).verdict is UNKNOWN
    assert ask("loss_on_bf16_grid", kind, 1, loss=np.ones(50)).verdict is UNKNOWN


def test_cadence(ask, falling) -> None:
    found = ask("cadence_is_coarse", Kind.ISOLATED_SPIKE, 100, loss=falling, stride=5)
    assert (found.verdict, found.values["stride"]) == (YES, 5.0)
    assert ask("cadence_is_coarse", Kind.ISOLATED_SPIKE, 100, loss=falling).verdict is NO
    assert ask("cadence_is_coarse", Kind.ISOLATED_SPIKE, 1, loss=np.ones(3)).verdict is UNKNOWN
