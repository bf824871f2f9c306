"""Which optimizer runs, and how high its learning rate goes."""

from __future__ import annotations

import numpy as np
import pytest
import synth

from spikedoc.model.metric import Metric
from spikedoc.model.optimizer import (
    is_sgd,
    is_slow_sgd,
    is_standing_rate,
    largest_lr,
    optimizer_name,
)
from spikedoc.model.run import Run

N = 200
GRADIENT = np.linspace(1.0, 3.0, N)


def moving(rate: float = 1e-4, momentum: float = 0.0, **config: str | float) -> Run:
    """Return a run whose updates are lr x grad_norm, or more of it."""
    update = rate * GRADIENT / (1.0 - momentum)
    return synth.run(
        synth.series(GRADIENT, Metric.GRAD_NORM),
        synth.series(update, Metric.UPDATE_NORM),
        synth.series(np.full(N, rate), Metric.LR),
        config=config,
    )


def test_plain_sgd_shows_in_its_steps() -> None:
    assert optimizer_name(moving()) == "sgd (update_norm = lr x grad_norm)"
    assert optimizer_name(moving(momentum=0.9)) is None
    assert optimizer_name(moving(momentum=0.9, optimizer="AdamW")) == "adamw"


def test_the_name_in_a_tag_is_enough() -> None:
    rate = synth.series(np.full(N, 0.1), Metric.LR, tag="lr-RMSprop")
    assert optimizer_name(synth.run(rate)) == "rmsprop"


def test_the_logged_rate_goes_before_the_configured_one() -> None:
    assert largest_lr(moving(rate=1e-4, lr=1.0)) == 1e-4
    assert largest_lr(synth.run(config={"lr": 0.5})) == 0.5
    assert largest_lr(synth.run()) is None
    assert largest_lr(synth.run(config={"lr": True})) is None


@pytest.mark.parametrize(
    ("lr", "optimizer", "slow"),
    [(9e-4, "sgd", True), (1e-3, "sgd", False), (9e-4, "adam", False), (9e-4, None, False)],
)
def test_sgd_learns_nothing_at_a_rate_for_adam(lr: float, optimizer: str | None, slow) -> None:
    named = {} if optimizer is None else {"optimizer": optimizer}
    assert is_slow_sgd(moving(lr, momentum=0.9, **named)) is slow


@pytest.mark.parametrize(("lr", "stands"), [(9e-8, True), (1e-7, False), (0.0, False)])
def test_no_optimizer_gets_anywhere_at_next_to_nothing(lr: float, stands: bool) -> None:
    assert is_standing_rate(synth.run(config={"lr": lr})) is stands
    assert not is_standing_rate(synth.run())


def test_names_of_sgd() -> None:
    assert is_sgd("sgd")
    assert is_sgd("sgd (update_norm = lr x grad_norm)")
    assert not is_sgd("adamw")
    assert not is_sgd(None)
