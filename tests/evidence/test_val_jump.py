from __future__ import annotations

import numpy as np

from spikedoc.model.evidence import Verdict
from spikedoc.model.label import Kind

YES, NO, UNKNOWN = Verdict.SUPPORTS, Verdict.REFUTES, Verdict.UNKNOWN
NAME, KIND = "val_jumps_alone", Kind.OVERFITTING
AT = np.arange(50, 1001, 50)
NOISE = np.random.default_rng(6).normal(0, 0.01, AT.size)
JUMP = 0.4 + 0.9 * (AT > 500) + NOISE


def test_a_step_of_validation_alone(ask, falling) -> None:
    found = ask(NAME, KIND, 550, 550, 1000, loss=falling, val_loss=(AT, JUMP))
    assert (found.verdict, found.values["first"], found.values["last"]) == (YES, 500, 550)


def test_overfitting_creeps(ask, falling) -> None:
    creep = 0.4 + np.maximum(0, AT - 300) / 500 + NOISE
    assert ask(NAME, KIND, 300, 300, 1000, loss=falling, val_loss=(AT, creep)).verdict is NO


def test_a_training_loss_that_jumps_too(ask, falling) -> None:
    both = falling * np.where(np.arange(1000) < 520, 1.0, 4.0)
    assert ask(NAME, KIND, 550, 550, 1000, loss=both, val_loss=(AT, JUMP)).verdict is NO


def test_one_evaluation_that_stands_out_and_returns(ask, falling) -> None:
    single = 0.4 + 0.9 * (AT == 550) + NOISE
    assert ask(NAME, KIND, 550, 550, 1000, loss=falling, val_loss=(AT, single)).verdict is NO


def test_few_evaluations_or_a_spike_tell_nothing(ask, falling) -> None:
    few = (AT[:6], JUMP[:6])
    assert ask(NAME, KIND, 300, loss=falling, val_loss=few).verdict is UNKNOWN
    spike = ask(NAME, Kind.ISOLATED_SPIKE, 300, loss=falling, val_loss=(AT, JUMP))
    assert spike.verdict is UNKNOWN


def test_a_validation_loss_that_only_falls_has_no_jump(ask, falling) -> None:
    fall = (AT, np.linspace(2.0, 0.5, AT.size))
    assert ask(NAME, KIND, 550, 550, 1000, loss=falling, val_loss=fall).verdict is UNKNOWN
