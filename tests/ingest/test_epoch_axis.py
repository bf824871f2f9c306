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


def test_other_quantities_stay() -> None:
    assert moved(range(1, 41), [1, 2, 3, 4], "lr") == [1, 2, 3, 4]
