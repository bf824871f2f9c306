from __future__ import annotations

import numpy as np

from spikedoc.model.evidence import Verdict
from spikedoc.model.label import Kind

YES, NO, UNKNOWN = Verdict.SUPPORTS, Verdict.REFUTES, Verdict.UNKNOWN
KIND = Kind.SLOW_RECOVERY
STEPS = np.arange(1000)
COSINE = 1e-3 * 0.5 * (1 + np.cos(np.pi * STEPS / 1000)) * np.minimum(1, (STEPS + 1) / 40)
CONSTANT = np.full(1000, 1e-3)


def test_peak_and_low(ask, falling) -> None:
    assert ask("lr_at_peak", KIND, 60, loss=falling, lr=COSINE).verdict is YES
    assert ask("lr_at_peak", KIND, 700, loss=falling, lr=COSINE).verdict is NO
    assert ask("lr_at_peak", KIND, 700, loss=falling, lr=CONSTANT).verdict is UNKNOWN
    assert ask("lr_is_low_at_onset", KIND, 950, loss=falling, lr=COSINE).verdict is YES
    assert ask("lr_is_low_at_onset", KIND, 300, loss=falling, lr=COSINE).verdict is NO
    stretch = Kind.OSCILLATION
    assert ask("lr_is_low_at_onset", stretch, 950, loss=falling, lr=COSINE).verdict is UNKNOWN


def test_peak_over_a_stretch(ask, falling) -> None:
    held = np.where(STEPS < 800, 1e-3, 1e-4)
    kind = Kind.OSCILLATION
    assert ask("lr_at_peak", kind, 200, 200, 790, loss=falling, lr=held).verdict is YES
    assert ask("lr_at_peak", kind, 810, 810, 1000, loss=falling, lr=held).verdict is NO


def test_constant(ask, falling) -> None:
    assert ask("lr_is_constant", KIND, 700, loss=falling, lr=CONSTANT).verdict is YES
    assert ask("lr_is_constant", KIND, 700, loss=falling, lr=COSINE).verdict is NO
    assert ask("lr_is_constant", KIND, 700, loss=falling, lr=CONSTANT[:3]).verdict is UNKNOWN


def test_warm_up(ask, falling) -> None:
    decay = 1e-3 * np.exp(-STEPS / 300)
    assert ask("lr_starts_at_peak", KIND, 700, loss=falling, lr=decay).verdict is YES
    assert ask("lr_starts_at_peak", KIND, 700, loss=falling, lr=COSINE).verdict is NO
    assert ask("lr_starts_at_peak", KIND, 700, loss=falling, lr=CONSTANT).verdict is UNKNOWN
    known = {"warmup_steps": 0}
    found = ask("lr_starts_at_peak", KIND, 700, loss=falling, lr=CONSTANT, config=known)
    assert found.verdict is YES


def test_zero(ask, falling) -> None:
    kind = Kind.NON_CONVERGENCE
    zero = ask("lr_is_zero", kind, 1, 1, 1000, loss=falling, lr=np.zeros(1000))
    assert zero.verdict is YES
    assert ask("lr_is_zero", kind, 1, 1, 1000, loss=falling, lr=COSINE).verdict is NO
    assert ask("lr_is_zero", KIND, 1, 1, 1000, loss=falling, lr=np.zeros(1000)).verdict is UNKNOWN


def test_spent_for_most_of_the_run(ask, falling) -> None:
    name = "lr_is_spent_mostly"
    early = np.where(np.arange(1000) < 200, 1e-3, 1e-6)
    found = ask(name, Kind.OSCILLATION, 300, 300, 1000, loss=falling, lr=early)
    assert (found.verdict, found.values["since"], found.values["percent"]) == (YES, 201, 80)
    late = np.where(np.arange(1000) < 700, 1e-3, 1e-6)
    cosine = 1e-3 * (1 + np.cos(np.pi * np.arange(1000) / 1000)) / 2
    warm_up = np.where(np.arange(1000) < 700, 1e-6, 1e-3)
    for rate in (late, cosine, warm_up):
        assert ask(name, Kind.OSCILLATION, 300, loss=falling, lr=rate).verdict is NO
    assert ask(name, Kind.OSCILLATION, 300, loss=falling).verdict is UNKNOWN


def test_a_few_values_have_no_peak(ask) -> None:
    rising = [1e-9, 2e-9, 3e-9, 4e-9]
    assert ask("lr_at_peak", KIND, 4, loss=[1.0] * 4, lr=rising).verdict is UNKNOWN
    assert ask("lr_at_peak", KIND, 5, loss=[1.0] * 5, lr=[*rising, 5e-9]).verdict is YES
