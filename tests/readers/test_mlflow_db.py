"""MLflow's SQLite store."""

from __future__ import annotations

import math
import os
import shutil
import sqlite3
from pathlib import Path

import numpy as np
import pytest

from spikedoc.errors import InputError
from spikedoc.readers.mlflow_db import READER
from tests.notes import english

DATA = Path(__file__).parents[1] / "data" / "trackers" / "mlflow" / "mlflow.db"


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    return Path(shutil.copy(DATA, tmp_path / "mlflow.db"))


def change(path: Path, *statements: str) -> None:
    connection = sqlite3.connect(path)
    for statement in statements:
        connection.execute(statement)
    connection.commit()
    connection.close()


def test_every_point_of_every_run() -> None:
    table = READER.read(DATA)
    assert table.series == ()
    assert [run.name for run in table.runs] == ["alpha", "beta", "alpha"]
    expected = [2.0 / (i + 1) for i in range(40)]
    expected[20:23] = [math.nan, math.inf, -math.inf]
    for number, run in enumerate(table.runs, 1):
        found = {series.tag: series for series in run.series}
        assert {tag: s.values.size for tag, s in found.items()} == {
            "train/loss": 40,
            "lr": 40,
            "val_loss": 4,
        }
        np.testing.assert_array_equal(found["train/loss"].values, expected)
        assert found["train/loss"].steps.tolist() == list(range(0, 200, 5))
        assert run.config == {
            "lr": pytest.approx(number * 1e-3),
            "optimizer": "AdamW",
            "betas": "(0.9, 0.95)",
        }


def test_deleted_runs_are_left_out(copy: Path) -> None:
    change(copy, "UPDATE runs SET lifecycle_stage = 'deleted' WHERE name = 'beta'")
    table = READER.read(copy)
    assert [run.name for run in table.runs] == ["alpha", "alpha"]
    assert english(table.notes) == ("1 deleted run was left out",)


def test_only_the_newest_of_very_many(copy: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("spikedoc.readers.mlflow_db.MOST_RUNS", 1)
    table = READER.read(copy)
    assert len(table.runs) == 1
    assert table.runs[0].config["lr"] == pytest.approx(3e-3)


def test_the_folder_stays_as_it_is(copy: Path) -> None:
    before = copy.read_bytes(), copy.stat().st_mtime_ns
    READER.read(copy)
    assert os.listdir(copy.parent) == ["mlflow.db"]  # noqa: PTH208 - names are all it needs
    assert (copy.read_bytes(), copy.stat().st_mtime_ns) == before


def test_a_database_in_use_is_read_with_its_journal(copy: Path) -> None:
    writer = sqlite3.connect(copy)
    writer.execute("PRAGMA journal_mode = WAL")
    writer.execute("PRAGMA wal_autocheckpoint = 0")
    writer.execute("UPDATE metrics SET value = 7.5 WHERE key = 'lr'")
    writer.commit()
    names = sorted(path.name for path in copy.parent.iterdir())
    assert "mlflow.db-wal" in names
    lr = next(s for s in READER.read(copy).runs[0].series if s.tag == "lr")
    assert set(lr.values.tolist()) == {7.5}
    assert sorted(path.name for path in copy.parent.iterdir()) == names
    writer.close()


@pytest.mark.parametrize("share", [0.02, 0.1, 0.3, 0.5, 0.9, 0.99])
def test_cut_anywhere(copy: Path, share: float) -> None:
    content = copy.read_bytes()
    copy.write_bytes(content[: int(share * len(content))])
    try:
        table = READER.read(copy)
    except InputError:
        return
    assert table.notes or len(table.runs) == 3


def test_bytes_of_it_damaged(copy: Path) -> None:
    content = bytearray(copy.read_bytes())
    rng = np.random.default_rng(5)
    for _ in range(40):
        damaged = bytearray(content)
        for place in rng.integers(100, len(content), 200):
            damaged[place] ^= 0x5A
        copy.write_bytes(damaged)
        if READER.accepts(copy, bytes(damaged[:65536])):
            try:
                READER.read(copy)
            except InputError:
                continue


def test_names_in_the_schema_that_are_no_text(copy: Path) -> None:
    content = copy.read_bytes()
    for old in (b"CREATE TABLE", b"run_uuid", b"metrics"):
        copy.write_bytes(content.replace(old, b"\xdc" * len(old)))
        assert not READER.accepts(copy, copy.read_bytes()[:65536])
        with pytest.raises(InputError):
            READER.read(copy)


def test_a_view_in_place_of_the_table_is_not_run(tmp_path: Path) -> None:
    path = tmp_path / "mlflow.db"
    change(
        path,
        """CREATE VIEW metrics AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)
        SELECT 'r' run_uuid, 'k' key, i value, 0 is_nan, i step, i timestamp FROM n""",
    )
    assert not READER.accepts(path, path.read_bytes())


def test_rows_without_a_number(copy: Path) -> None:
    change(copy, "UPDATE metrics SET value = 'text' WHERE key = 'val_loss'")
    table = READER.read(copy)
    assert "12 rows without a number were left out" in english(table.notes)
    assert {s.tag for s in table.runs[0].series} == {"train/loss", "lr"}


def test_no_metrics_at_all(copy: Path) -> None:
    change(copy, "DELETE FROM metrics")
    with pytest.raises(InputError, match="without metrics"):
        READER.read(copy)


def test_other_databases_are_not_taken(tmp_path: Path) -> None:
    path = tmp_path / "other.db"
    change(path, "CREATE TABLE metrics (a, b)")
    assert not READER.accepts(path, path.read_bytes())
    assert not READER.accepts(tmp_path / "missing.db", b"SQLite format 3\x00")
    assert not READER.accepts(path, b"step,loss")
