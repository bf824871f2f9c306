"""trackio's databases."""

from __future__ import annotations

import json
import math
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

from spikedoc.errors import InputError
from spikedoc.readers.trackio import READER
from tests.notes import english

DATA = Path(__file__).parents[1] / "data" / "trackers" / "trackio" / "p.db"


def old_layout(path: Path, rows: list[tuple[str, object, str]]) -> Path:
    """A database of the first releases, which knew runs by name alone."""
    connection = sqlite3.connect(path)
    connection.execute(
        "CREATE TABLE metrics (id INTEGER PRIMARY KEY, timestamp TEXT, run_name TEXT,"
        " step, metrics TEXT)"
    )
    connection.executemany(
        "INSERT INTO metrics (timestamp, run_name, step, metrics) VALUES ('2026-01-02', ?, ?, ?)",
        rows,
    )
    connection.commit()
    connection.close()
    return path


def test_every_point_the_writer_logged() -> None:
    table = READER.read(DATA)
    (run,) = table.runs
    found = {series.tag: series for series in run.series}
    expected = [2.0 / (i + 1) for i in range(20)]
    with closing(sqlite3.connect(DATA)) as base:
        stored = base.execute("SELECT metrics FROM metrics ORDER BY id").fetchall()
    for place, (text,) in enumerate(stored):
        if isinstance(json.loads(text)["train/loss"], str):
            expected[place] = float(json.loads(text)["train/loss"])
    np.testing.assert_array_equal(found["train/loss"].values, expected)
    assert sum(not math.isfinite(value) for value in expected) == 1
    assert found["grad_norm"].values.size == 20
    assert found["train/loss"].steps.tolist() == list(range(20))
    assert run.name == "run1"
    assert run.config == {"lr": 0.001, "betas": "[0.9, 0.95]"}
    walls = found["train/loss"].wall_times
    assert walls is not None
    assert 1.7e9 < walls[0] < 1.9e9


def test_runs_by_name_and_words_for_values(tmp_path: Path) -> None:
    rows: list[tuple[str, object, str]] = [
        ("a", 0, '{"loss": "NaN", "deep": {"x": 1}}'),
        ("b", 3, '{"loss": "-Infinity", "text": "hello", "list": [1]}'),
        ("a", 1, '{"loss": 2}'),
        ("a", "x", '{"loss": 2}'),
        ("b", 4, "{damaged"),
        ("b", 5, "[1]"),
    ]
    table = READER.read(old_layout(tmp_path / "old.db", rows))
    a, b = table.runs
    assert (a.name, b.name) == ("a", "b")
    assert {s.tag: s.steps.tolist() for s in a.series} == {"loss": [0, 1], "deep/x": [0]}
    assert math.isnan(a.series[0].values[0])
    assert b.series[0].values.tolist() == [-math.inf]
    assert english(table.notes) == ("2 rows that could not be decoded were left out",)


def test_nothing_logged(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="without metrics"):
        READER.read(old_layout(tmp_path / "old.db", []))


def test_cut_databases(tmp_path: Path) -> None:
    copy = Path(shutil.copy(DATA, tmp_path / "p.db"))
    content = copy.read_bytes()
    for share in (0.03, 0.2, 0.5, 0.8, 0.97):
        copy.write_bytes(content[: int(share * len(content))])
        try:
            found = READER.read(copy)
        except InputError:
            continue
        assert found.runs
