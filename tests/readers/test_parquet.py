"""Parquet and Arrow tables, with pyarrow and without."""

from __future__ import annotations

import math
import sys
from pathlib import Path

import numpy as np
import pytest

from spikedoc.errors import InputError
from spikedoc.readers.parquet import READER
from tests.notes import english

DATA = Path(__file__).parents[1] / "data" / "trackers" / "parquet"
FILES = [DATA / "history.parquet", DATA / "history.feather"]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.suffix)
def test_every_cell_that_holds_a_number(path: Path) -> None:
    pytest.importorskip("pyarrow")
    table = READER.read(path)
    found = {series.tag: series for series in table.series}
    assert {tag: s.values.size for tag, s in found.items()} == {
        "train/loss": 40,
        "val/loss": 4,
        "lr": 40,
    }
    expected = [2.0 / (i + 1) for i in range(40)]
    expected[20:22] = [math.nan, math.inf]
    np.testing.assert_array_equal(found["train/loss"].values, expected)
    assert found["val/loss"].steps.tolist() == [90, 190, 290, 390]
    assert math.isnan(found["lr"].values[5])
    walls = found["lr"].wall_times
    assert walls is not None
    assert walls[3] == 1.8e9 + 3


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.suffix)
def test_without_pyarrow_it_says_what_to_install(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    assert READER.accepts(path, path.read_bytes())
    with pytest.raises(InputError, match=r"pip install pyarrow"):
        READER.read(path)


@pytest.mark.parametrize("share", [0.01, 0.5, 0.9, 0.999])
@pytest.mark.parametrize("path", FILES, ids=lambda path: path.suffix)
def test_cut_tables(tmp_path: Path, path: Path, share: float) -> None:
    pytest.importorskip("pyarrow")
    content = path.read_bytes()
    cut = tmp_path / path.name
    cut.write_bytes(content[: int(share * len(content))])
    with pytest.raises(InputError, match="not a readable table"):
        READER.read(cut)


def test_text_that_lies_outside_of_the_file(tmp_path: Path) -> None:
    """Offsets of text come from the file, and must not be followed unseen."""
    pa = pytest.importorskip("pyarrow")
    path = tmp_path / "history.feather"
    batch = pa.record_batch([pa.array(["10", "20", "30"])], names=["loss"])
    with pa.OSFile(str(path), "wb") as file, pa.ipc.new_file(file, batch.schema) as writer:
        writer.write_batch(batch)
    offsets, damaged = (np.array([0, 2, at, 6], dtype="<i4").tobytes() for at in (4, -5))
    content = path.read_bytes()
    assert content.count(offsets) == 1
    path.write_bytes(content.replace(offsets, damaged))
    with pytest.raises(InputError, match="not a readable table"):
        READER.read(path)


def test_a_table_without_numbers(tmp_path: Path) -> None:
    pa = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    path = tmp_path / "x.parquet"
    parquet.write_table(pa.table({"a": ["x", "y"], "b": [[1], [2]]}), path)
    with pytest.raises(InputError, match="no numbers"):
        READER.read(path)


def test_more_cells_than_are_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pa = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    monkeypatch.setattr("spikedoc.readers.parquet.MOST_CELLS", 100)
    monkeypatch.setattr("spikedoc.readers.parquet.BATCH_ROWS", 64)
    path = tmp_path / "x.parquet"
    parquet.write_table(pa.table({"step": range(500), "loss": [0.5] * 500}), path)
    table = READER.read(path)
    assert table.series[0].values.size == 64
    assert "only the first 64 rows were read" in english(table.notes)


def long_table(path: Path, **columns: object) -> Path:
    pa = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    parquet.write_table(pa.table(columns), path)
    return path


def test_a_long_table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("spikedoc.readers.parquet.BATCH_ROWS", 2)
    path = long_table(
        tmp_path / "x.parquet",
        run=["r"] * 7,
        step=[0, 0, 10, 10, 20, None, 30],
        metric=["loss", "lr", "loss", "lr", "loss", "loss", "loss"],
        value=[3.0, 0.1, math.nan, 0.2, None, 9.0, -math.inf],
        wall_time=[1.7e9, 1.7e9, 1.7e9 + 5, None, 1.7e9 + 9, 1.7e9 + 9, 1.7e9 + 20],
    )
    loss, lr = READER.read(path).series
    assert (loss.tag, lr.tag) == ("loss", "lr")
    assert loss.steps.tolist() == [0, 10, 30]
    np.testing.assert_array_equal(loss.values, [3.0, np.nan, -np.inf])
    assert loss.wall_times is not None
    assert loss.wall_times.tolist() == [1.7e9, 1.7e9 + 5, 1.7e9 + 20]
    assert (lr.steps.tolist(), lr.values.tolist()) == ([0, 10], [0.1, 0.2])
    assert lr.wall_times is None
    assert loss.order is not None
    assert lr.order is not None
    assert sorted([*loss.order.tolist(), *lr.order.tolist()]) == list(range(5))


def test_a_long_table_of_several_runs(tmp_path: Path) -> None:
    pa = pytest.importorskip("pyarrow")
    ipc = pytest.importorskip("pyarrow.ipc")
    path = tmp_path / "x.arrow"
    table = pa.table(
        {
            "Run_Name": pa.array(["a", "b", "a", "b"]).dictionary_encode(),
            "tag": pa.array(["loss"] * 4).dictionary_encode(),
            "epoch": [1, 1, 2, 2],
            "value": ["4", "5", "3.5", "n/a"],
        }
    )
    with ipc.new_file(str(path), table.schema) as writer:
        writer.write_table(table)
    found = {one.tag: one for one in READER.read(path).series}
    assert {tag: one.values.tolist() for tag, one in found.items()} == {
        "a/loss": [4.0, 3.5],
        "b/loss": [5.0],
    }


def test_a_long_table_without_numbers(tmp_path: Path) -> None:
    path = long_table(tmp_path / "x.parquet", step=[1], tag=["loss"], value=[[1.0]])
    with pytest.raises(InputError, match="no numbers"):
        READER.read(path)


def test_steps_that_are_none(tmp_path: Path) -> None:
    path = long_table(
        tmp_path / "x.parquet",
        step=[0.5, 1e300, math.inf, 4.0],
        tag=["loss"] * 4,
        value=[1.0, 2.0, 3.0, 4.0],
    )
    table = READER.read(path)
    assert table.series[0].steps.tolist() == [4]
    assert any("impossible step" in note.en for note in table.notes)


def test_a_batch_that_claims_rows_without_cells(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pa = pytest.importorskip("pyarrow")
    monkeypatch.setattr("spikedoc.readers.parquet.MOST_CELLS", 50_000)
    path = tmp_path / "run.arrow"
    batch = pa.RecordBatch.from_arrays([pa.nulls(50_001)], ["loss"])
    with pa.OSFile(str(path), "wb") as file, pa.ipc.new_file(file, batch.schema) as out:
        out.write_batch(batch)
    assert path.stat().st_size < 1_000
    with pytest.raises(InputError, match="a batch claims 50001 rows"):
        READER.read(path)


def test_rows_without_cells_count_as_well(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Compressed, ten thousand million empty rows are a small file."""
    pa = pytest.importorskip("pyarrow")
    monkeypatch.setattr("spikedoc.readers.parquet.MOST_CELLS", 100)
    monkeypatch.setattr("spikedoc.readers.parquet.BATCH_ROWS", 64)
    loss = pa.array([0.5] * 64 + [None] * 436)
    table = READER.read(long_table(tmp_path / "x.parquet", step=pa.nulls(500), loss=loss))
    assert table.series[0].values.size == 64
    assert "only the first 128 rows were read" in english(table.notes)
