from __future__ import annotations

import numpy as np
import pytest
from levels import alike, pieces

from spikedoc.model.evidence import Verdict
from spikedoc.model.label import Kind

YES, NO, UNKNOWN = Verdict.SUPPORTS, Verdict.REFUTES, Verdict.UNKNOWN
AT = np.arange(50, 1001, 50)


def test_training_data_that_are_harder(ask, falling) -> None:
    name = "train_harder_than_val"
    easy = (AT, 0.5 * falling[AT - 1])
    assert ask(name, Kind.OSCILLATION, 300, 300, 1000, loss=falling, val_loss=easy).verdict is YES
    same = (AT, falling[AT - 1])
    assert ask(name, Kind.OSCILLATION, 300, 300, 1000, loss=falling, val_loss=same).verdict is NO
    few = (AT[-5:], 0.5 * falling[AT[-5:] - 1])
    found = ask(name, Kind.OSCILLATION, 300, 300, 1000, loss=falling, val_loss=few)
    assert found.verdict is UNKNOWN


def test_held_back_alike_on_both(ask, steady) -> None:
    name, kind = "underfits", Kind.NON_CONVERGENCE
    high, low = 1.5 + np.exp(-np.arange(1000) / 50), 0.1 + 2.4 * np.exp(-np.arange(1000) / 50)
    for loss, factor, verdict in ((high, 1.02, YES), (high, 1.3, NO), (low, 1.0, NO)):
        parts = {"loss": loss * steady**0.1, "val_loss": (AT, factor * loss[AT - 1])}
        assert ask(name, kind, 300, 300, 1000, **parts).verdict is verdict
    assert ask(name, kind, 300, 300, 1000, loss=high).verdict is UNKNOWN


def harder(ask, train: np.ndarray, late: float, count: int = 6, every: int = 100):
    val = (every * np.arange(1, count + 1), [9.0] * (count - count // 3) + [late] * (count // 3))
    parts = {"loss": train, "val_loss": val}
    name, kind, scaled = "train_harder_than_val", Kind.OSCILLATION, ("loss", "val_loss")
    return alike(ask, scaled, name, kind, 1, 1, train.size, **parts)


@pytest.mark.parametrize(("late", "verdict"), [(2.0, YES), (2.01, NO), (0.0, UNKNOWN)])
def test_half_as_high_again_as_validation(ask, late: float, verdict: Verdict) -> None:
    # The last third of six evaluations, and training from the first of these on.
    found = harder(ask, pieces((499, 1.0), (101, 3.0)), late)
    assert found.verdict is verdict
    if late:
        assert found.values["ratio"] == pytest.approx(3 / late, rel=5e-3)


@pytest.mark.parametrize(
    ("count", "points", "level", "verdict"),
    [
        (6, 600, 3.0, YES),
        (5, 600, 3.0, UNKNOWN),
        (6, 511, 3.0, YES),
        (6, 510, 3.0, UNKNOWN),
        (6, 600, 0.0, UNKNOWN),
    ],
)
def test_six_evaluations_and_twelve_points(ask, count, points, level, verdict) -> None:
    # From step 500 to 511 there are twelve.
    found = harder(ask, np.full(points, level), 2.0 if level else 1.0, count)
    assert found.verdict is verdict


@pytest.mark.parametrize(
    ("tail", "late", "verdict"),
    [
        *((0.33, 0.33, YES), (0.329, 0.329, NO)),  # a third of the first loss
        *((0.5, 0.524, YES), (0.5, 0.526, NO), (0.5, 0.476, YES), (0.5, 0.474, NO)),
    ],
)
def test_both_stop_high_and_alike(ask, tail: float, late: float, verdict: Verdict) -> None:
    val = (np.arange(100, 601, 100), [9.0] * 4 + [late] * 2)
    parts = {"loss": pieces((10, 1.0), (590, tail)), "val_loss": val}
    kind, scaled = Kind.NON_CONVERGENCE, ("loss", "val_loss")
    found = alike(ask, scaled, "underfits", kind, 1, 1, 600, **parts)
    assert (found.verdict, found.values) == (verdict, {"train": tail, "val": late, "start": 1.0})
    few = parts | {"val_loss": (val[0][1:], val[1][1:])}
    assert ask("underfits", Kind.NON_CONVERGENCE, 1, 1, 600, **few).verdict is UNKNOWN


@pytest.mark.parametrize(("start", "tail"), [(0.0, 1.0), (1.0, 0.0), (-1.0, -1.0)])
def test_no_level_to_compare_with(ask, start: float, tail: float) -> None:
    parts = {"loss": pieces((10, start), (590, tail)), "val_loss": (AT[:9], np.ones(9))}
    assert ask("underfits", Kind.NON_CONVERGENCE, 1, 1, 600, **parts).verdict is UNKNOWN
