"""Parquet and Arrow tables, with pyarrow and without."""

from __future__ import annotations

import math
import sys
from pathlib import Path

import numpy as np
import pytest

from spikedoc.errors import InputError
from spikedoc.readers.parquet import READER

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
    with pytest.raises(InputError, match=r"spikedoc\[parquet\]"):
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
    assert "only the first 64 rows were read" in table.notes
