"""Held-out series that count epochs, in a log whose training counts steps."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from spikedoc.ingest.epoch_axis import on_one_axis
from spikedoc.ingest.naming import Candidate, candidates
from spikedoc.readers.base import RawSeries


def found(loss: Sequence[int], val: Sequence[int], tag: str = "val/loss") -> list[Candidate]:
    series = [
        RawSeries(name, np.array(steps), np.linspace(2.0, 1.0, len(steps)))
        for name, steps in (("train/loss", loss), (tag, val))
    ]
    return candidates(series, "events", "")


def moved(loss: Sequence[int], val: Sequence[int], tag: str = "val/loss") -> list[int]:
    series, notes = on_one_axis(found(loss, val, tag))
    steps: list[int] = series[1].raw.steps.tolist()
    assert bool(notes) == (steps != list(val))
    return steps


@pytest.mark.parametrize(
    ("loss", "val", "ends"),
    [
        (range(1, 41), [1, 2, 3, 4], [10, 20, 30, 40]),
        (range(40), [0, 1, 2, 3], [9, 19, 29, 39]),
        (range(40), [1, 2, 3, 4], [9, 19, 29, 39]),
    ],
)
def test_epochs_stand_at_their_ends(loss: range, val: list[int], ends: list[int]) -> None:
    assert moved(loss, val) == ends


@pytest.mark.parametrize(
    ("loss", "val"),
    [
        (range(1, 42), [1, 2, 3, 4]),  # no whole epochs
        (range(0, 400, 10), [1, 2, 3, 4]),  # what lies between is not known
        (range(1, 41), [10, 20, 30, 40]),
        (range(1, 41), [1, 2]),
        (range(1, 5), [1, 2, 3, 4]),  # both over epochs
        (range(100, 140), [1, 2, 3, 4]),
    ],
)
def test_where_there_is_a_doubt_they_stay(loss: range, val: list[int]) -> None:
    assert moved(loss, val) == val


@pytest.mark.parametrize("epochs", [[-1], [-1, 0, 1], []])
def test_epochs_of_keras_that_do_not_count_from_zero_stay(epochs: list[int]) -> None:
    ends = [100 * (i + 1) for i in range(len(epochs))]
    tags = ("epoch_loss", "evaluation_loss_vs_iterations", "batch_loss")
    series = [
        RawSeries(tag, np.array(steps, dtype=np.int64), np.linspace(2.0, 1.0, len(steps)))
        for tag, steps in zip(tags, (epochs, ends, [1, 2]), strict=True)
    ]
    kept, notes = on_one_axis(candidates(series, "events", ""))
    assert [one.raw.steps.tolist() for one in kept] == [epochs, ends, [1, 2]]
    assert notes == ()


def test_series_without_a_point_are_passed_over() -> None:
    assert moved([], [1, 2, 3]) == [1, 2, 3]
    assert moved(range(1, 41), []) == []


def test_other_quantities_stay() -> None:
    assert moved(range(1, 41), [1, 2, 3, 4], "lr") == [1, 2, 3, 4]
