from __future__ import annotations

import numpy as np
import pytest
from levels import alike

from spikedoc.model.evidence import Verdict
from spikedoc.model.label import Kind

YES, NO, UNKNOWN = Verdict.SUPPORTS, Verdict.REFUTES, Verdict.UNKNOWN
AT = np.arange(50, 1001, 50)
# Twenty evaluations that stand for six and then come down to a third.
LATE = 2.3 * np.concatenate([np.ones(6), np.geomspace(0.97, 0.33, 14)])


@pytest.mark.parametrize(
    ("config", "verdict"),
    [
        ({"ema_decay": 0.9999}, YES),
        ({"model.use_ema": True}, YES),
        ({"swa_lrs": 0.05}, YES),
        ({"ema_decay": 0.0}, UNKNOWN),
        ({"use_ema": False}, UNKNOWN),
        ({"schema": 3, "semantic_weight": 1.0}, UNKNOWN),  # words that hold the letters
        ({}, UNKNOWN),
    ],
)
def test_averaging_in_the_config(ask, falling, config, verdict) -> None:
    found = ask("ema_in_config", Kind.OVERFITTING, 50, 50, 1000, loss=falling, config=config)
    assert found.verdict is verdict


def test_validation_that_follows_late(ask, falling) -> None:
    name, kind = "val_follows_late", Kind.OVERFITTING
    loss = 2.3 * np.exp(-np.arange(1000) / 150.0)
    found = ask(name, kind, 50, 50, 1000, loss=loss, val_loss=(AT, LATE))
    assert found.verdict is YES
    for val in (
        2.3 * np.ones(20),
        LATE[::-1],
        2.3 * np.exp(-AT / 150.0),
        2.3 * 1.02 ** np.arange(20),
    ):
        assert ask(name, kind, 50, 50, 1000, loss=loss, val_loss=(AT, val)).verdict is NO
    few = ask(name, kind, 50, 50, 1000, loss=loss, val_loss=(AT[:4], LATE[:4]))
    assert few.verdict is UNKNOWN


def late(ask, values: list[float], *, near: float = 0.5, points: int = 1000):
    """Ask about evaluations at every fiftieth step of a loss that goes from 1 to `near`."""
    loss = np.r_[1.0, np.full(79, 7.0), np.full(20, near), np.full(900, 7.0)]
    if points < 1000:
        loss = np.r_[1.0, np.full(points - 1, near)]
    val = (AT[: len(values)], values)
    parts = {"loss": loss, "val_loss": val}
    kind, scaled = Kind.OVERFITTING, ("loss", "val_loss")
    return alike(ask, scaled, "val_follows_late", kind, 50, 50, 1000, **parts)


FALLS = [0.96, 0.94, 0.92, 0.9]


@pytest.mark.parametrize(
    ("values", "near", "verdict"),
    [
        ([1.0, 0.9, *FALLS, 0.8, 0.8], 0.5, YES),
        ([1.0, 0.89, *FALLS, 0.8, 0.8], 0.5, NO),  # it did not stand for a quarter
        ([1.0, 0.9, *FALLS, 0.81, 0.81], 0.5, NO),  # nor come down by a fifth
        ([1.0, 0.9, *FALLS, 0.8, 0.8], 0.51, NO),  # training had not fallen by half
        # Of fifteen pairs one rises, and two: tau is -.87 and -.73.
        ([1.0, 0.9, 0.94, 0.96, 0.92, 0.9, 0.8, 0.7], 0.5, YES),
        ([1.0, 0.9, 0.94, 0.96, 0.92, 0.9, 0.7, 0.8], 0.5, NO),
    ],
)
def test_it_stood_and_then_came_down(ask, values: list[float], near: float, verdict) -> None:
    # Two of eight are a quarter; training near the second are the twenty points up to step 100.
    found = late(ask, values, near=near)
    assert found.verdict is verdict
    assert found.values == {"first": 1.0, "last": pytest.approx(np.median(values[-2:]))}


@pytest.mark.parametrize(
    ("values", "verdict"),
    [
        ([1.0, 0.999, 0.998, 0.9975, 0.997, 0.996, 0.9955, 0.995], YES),
        ([1.0, 0.999, 0.9985, 0.9984, 0.9983, 0.9982, 0.9981, 0.998], NO),  # next to nothing
        ([1.0, 0.999, 0.998, 0.9985, 0.997, 0.996, 0.9955, 0.995], NO),  # once up
    ],
)
def test_it_creeps_down_at_each_single_evaluation(ask, values: list[float], verdict) -> None:
    assert late(ask, values).verdict is verdict


def test_eight_evaluations_and_twenty_points(ask) -> None:
    values = [1.0, 0.95, *FALLS, 0.8, 0.8]
    assert late(ask, values[:7]).verdict is UNKNOWN
    assert late(ask, values, points=20).verdict is YES
    assert late(ask, values, points=19).verdict is UNKNOWN
    assert late(ask, [0.0, *values[1:]]).verdict is UNKNOWN


@pytest.mark.parametrize(
    ("config", "verdict", "memory"),
    [
        ({"ema_decay": 0.9995}, YES, 2000),
        ({"ema_decay": 0.99}, NO, 100),
        ({"use_ema": True}, UNKNOWN, None),
        ({"ema_start": 0.5}, UNKNOWN, None),
        ({}, UNKNOWN, None),
    ],
)
def test_how_long_the_average_remembers(ask, falling, config, verdict, memory) -> None:
    found = ask("ema_outlasts_run", Kind.OVERFITTING, 50, 50, 1000, loss=falling, config=config)
    assert found.verdict is verdict
    assert found.values.get("memory") == memory
