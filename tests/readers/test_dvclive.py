"""DVCLive's folders."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from spikedoc.errors import InputError
from spikedoc.readers.dvclive import READER

DATA = Path(__file__).parents[1] / "data" / "trackers" / "dvclive"
LOSS = DATA / "plots" / "metrics" / "train" / "loss.tsv"


def test_every_point_the_writer_logged() -> None:
    table = READER.read(DATA)
    found = {series.tag: series for series in table.series}
    assert {tag: s.values.size for tag, s in found.items()} == {
        "train/loss": 30,
        "lr": 30,
        "val/loss": 3,
    }
    expected = [2.0 / (i + 1) for i in range(30)]
    expected[20] = math.nan
    np.testing.assert_array_equal(found["train/loss"].values, expected)
    assert found["val/loss"].steps.tolist() == [9, 19, 29]
    orders = np.concatenate([s.order for s in table.series if s.order is not None])
    assert sorted(orders.tolist()) == list(range(63))


def test_one_table_of_it() -> None:
    assert READER.accepts(LOSS, LOSS.read_bytes())
    assert [s.tag for s in READER.read(LOSS).series] == ["train/loss"]


def test_tables_elsewhere_are_not_taken(tmp_path: Path) -> None:
    assert not READER.accepts(tmp_path / "loss.tsv", LOSS.read_bytes())
    assert not READER.accepts(LOSS.with_suffix(".csv"), LOSS.read_bytes())
    assert not READER.accepts(LOSS, b"epoch\tloss\tacc\n")


def test_times_gaps_and_a_cut_line(tmp_path: Path) -> None:
    path = tmp_path / "plots" / "metrics" / "loss.tsv"
    path.parent.mkdir(parents=True)
    path.write_text("timestamp\tstep\tloss\n1\t0\t0.5\n2\t1\t\nx\n3\t2\tinf\n4\t3\t0.2")
    table = READER.read(tmp_path)
    (loss,) = table.series
    assert loss.steps.tolist() == [0, 2]
    assert loss.values.tolist() == [0.5, math.inf]
    assert any("2 rows" in note.en for note in table.notes)
    assert any("cut short" in note.en for note in table.notes)


def test_a_table_with_one_column(tmp_path: Path) -> None:
    path = tmp_path / "plots" / "metrics" / "loss.tsv"
    path.parent.mkdir(parents=True)
    path.write_text("loss\n0.5\n1\t0.25\n")
    (loss,) = READER.read(tmp_path).series
    assert loss.values.tolist() == [0.25]


def test_nothing_to_read(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no metric"):
        READER.read(tmp_path)
