"""Files to tables: what fails is remembered, several runs of a file come apart."""

from __future__ import annotations

import shutil
import sqlite3
from pathlib import Path

import pytest

from spikedoc.ingest import load_runs
from spikedoc.ingest.discovery import find
from spikedoc.ingest.reading import Reading

TRACKERS = Path(__file__).parents[1] / "data" / "trackers"


def test_runs_of_a_database_have_names_of_their_own() -> None:
    path = TRACKERS / "mlflow" / "mlflow.db"
    runs = load_runs(path)
    assert [run.name for run in runs] == [
        "mlflow.db/alpha",
        "mlflow.db/beta",
        "mlflow.db/alpha (2)",
    ]
    assert {run.path for run in runs} == {str(path)}
    assert [run.config["lr"] for run in runs] == pytest.approx([1e-3, 2e-3, 3e-3])
    assert {run.config["optimizer"] for run in runs} == {"adamw"}
    in_folder = load_runs(TRACKERS / "mlflow")
    assert {run.name for run in in_folder} >= {run.name for run in runs}


def test_a_name_that_is_a_path_leads_nowhere(tmp_path: Path) -> None:
    path = Path(shutil.copy(TRACKERS / "mlflow" / "mlflow.db", tmp_path / "mlflow.db"))
    connection = sqlite3.connect(path)
    connection.execute("UPDATE runs SET name = '../../etc/pass' || char(0) || 'wd'")
    connection.commit()
    connection.close()
    names = [run.name for run in load_runs(path)]
    assert names[0] == "mlflow.db/_.._etc_pass_wd"
    assert len(set(names)) == 3


def test_what_fails_is_remembered_and_the_rest_read(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("step,loss\n1,0.5\n2,0.25\n")
    (tmp_path / "b.csv").write_text("step,loss\n1,0.5\n2,0.25\n")
    (tmp_path / "c.txt").write_text("only words in here\n")
    found = find(tmp_path)
    (tmp_path / "a.csv").unlink()
    calls: list[tuple[int, int]] = []
    reading = Reading(100, lambda done, total: calls.append((done, total)), in_folder=True)
    (one,) = reading.read(found.files)
    assert one.file.path.name == "b.csv"
    assert [error.reason for error in reading.failures] == ["no such file or directory"]
    reading.close(found_some=True)
    assert [done for done, _ in calls] == sorted(done for done, _ in calls)


def test_a_log_that_is_cut_while_it_is_read(tmp_path: Path) -> None:
    path = tmp_path / "log.csv"
    path.write_text("step,loss\n" + "".join(f"{i},0.5\n" for i in range(100)))
    found = find(path)
    path.write_text("step,lo")
    reading = Reading(1, None, in_folder=False)
    assert reading.read(found.files) == []
    assert len(reading.failures) == 1
