from __future__ import annotations

import numpy as np
import pytest

from spikedoc.model.evidence import Verdict
from spikedoc.model.label import Kind

YES, NO, UNKNOWN = Verdict.SUPPORTS, Verdict.REFUTES, Verdict.UNKNOWN
STEPS = np.arange(1, 1001)
CONFIG = {"lr": 1e-3, "warmup_steps": 100}


def schedule(warmup: int, peak: float = 1e-3) -> np.ndarray:
    return peak * np.minimum(STEPS / warmup, 1.0)


def asked(ask, loss, lr: np.ndarray, **config: float):
    kind = Kind.DIVERGENCE
    return ask("lr_misses_declared_peak", kind, 600, loss=loss, lr=lr, config=CONFIG | config)


@pytest.mark.parametrize(
    ("warmup", "peak", "verdict"),
    [
        (100, 1e-3, NO),
        (105, 1e-3, NO),
        (400, 1e-3, YES),  # steps counted in micro-batches of four
        (100, 1e-4, YES),
        (100, 4e-3, YES),  # another peak
    ],
)
def test_the_end_of_the_warm_up(ask, falling, warmup, peak, verdict) -> None:
    assert asked(ask, falling, schedule(warmup, peak)).verdict is verdict


def test_where_the_peak_was_reached_is_told(ask, falling) -> None:
    found = asked(ask, falling, schedule(400))
    assert found.values == {"step": 100, "found": 2.5e-4, "declared": 1e-3, "reached": 360}
    assert asked(ask, falling, schedule(100, 1e-4)).values["reached"] == "—"


def test_a_jump_long_after_it_does_not_matter(ask, falling) -> None:
    lr = np.where(STEPS < 500, schedule(100), 1e-2)
    assert asked(ask, falling, lr).verdict is NO


def test_what_cannot_be_told(ask, falling) -> None:
    assert asked(ask, falling, schedule(100), warmup_steps=5000).verdict is UNKNOWN
    assert asked(ask, falling, schedule(100), warmup_steps=0).verdict is UNKNOWN
    sparse = (STEPS[49::50], schedule(100)[49::50])
    assert asked(ask, falling, sparse).verdict is UNKNOWN
    kind = Kind.DIVERGENCE
    bare = ask("lr_misses_declared_peak", kind, 600, loss=falling, lr=schedule(100))
    assert (bare.verdict, bare.missing_config) == (UNKNOWN, ("lr", "warmup_steps"))
