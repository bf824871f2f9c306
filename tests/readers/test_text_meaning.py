"""Columns of printed numbers as what they mean."""

from __future__ import annotations

import math

from spikedoc.readers._text_meaning import Meaning, Run, Source
from spikedoc.readers._text_writer import profiles
from spikedoc.readers.lines.base import Record

MEANING = Meaning(
    Record({"loss": 1.0, "time": 1.0, "reward": math.nan}, step=1, epoch="0.1"),
    profiles()[-1],
    {"loss": Source(4, 1.0), "time": Source(7, 1e-3), "reward": Source(-1, 1.0, math.nan)},
    step=2,
    epoch=5,
    config={"total_steps": 3},
)


def test_places_are_numbered_anew() -> None:
    kept = sorted(MEANING.places())
    assert kept == [2, 3, 4, 5, 7]
    found = MEANING.numbered(kept)
    assert (found.step, found.epoch, found.batch) == (0, 3, None)
    assert found.values["time"] == Source(4, 1e-3)
    assert found.values["reward"].place == -1
    assert found.config == {"total_steps": 1}


def test_columns_become_values() -> None:
    columns = [(b"10", b"20"), (b"90", b"99"), (b"2.5", b"1e-3"), (b"0.10", b"0.2"), (b"7", b"8")]
    run = Run(MEANING.numbered([2, 3, 4, 5, 7]), columns, 2)
    assert run.steps() == [10, 20]
    assert run.epochs() == ["0.10", "0.2"]
    assert run.batches() is None
    assert run.config() == {"total_steps": 99}
    values = run.values()
    assert values["loss"].tolist() == [2.5, 0.001]
    assert values["time"].tolist() == [0.007, 0.008]
    assert all(math.isnan(value) for value in values["reward"])


def test_lines_without_an_epoch_have_an_empty_one() -> None:
    meaning = Meaning(Record({"loss": 1.0}, step=1), profiles()[-1], {"loss": Source(0, 1.0)})
    assert Run(meaning, [(b"1", b"2")], 2).epochs() == ["", ""]
