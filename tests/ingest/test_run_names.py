"""Names of runs from the folders they lie in."""

from __future__ import annotations

from pathlib import Path

import pytest

from spikedoc.ingest import load_runs
from spikedoc.ingest.run_names import folder_name, is_generic


@pytest.mark.parametrize(
    "name",
    ["run", "Runs", "logs", "tb", "tb_logs", "tensorboard", "csv", "output", "version_12", "train"],
)
def test_names_that_say_nothing(name: str) -> None:
    assert is_generic(name)


@pytest.mark.parametrize("name", ["bert", "run7", "trainer", "version", "ppo_1", "logs-bert", ""])
def test_names_that_say_something(name: str) -> None:
    assert not is_generic(name)


@pytest.mark.parametrize(
    ("root", "folder", "name"),
    [
        ("bert", "", "bert"),
        ("bert/run", "", "bert"),
        ("bert/logs", "", "bert/logs"),
        ("bert/run/tb", "", "bert/tb"),
        ("bert/run", "lightning_logs/version_0", "bert/lightning_logs/version_0"),
        ("bert/lightning_logs", "version_3", "bert/lightning_logs/version_3"),
        ("bert", "version_3", "bert/version_3"),
        ("bert", "run", "bert/run"),
        ("all", "bert/run", "bert/run"),
        ("runs", "bert", "bert"),
        ("bert/a/b", "c", "c"),
    ],
)
def test_folders(tmp_path: Path, root: str, folder: str, name: str) -> None:
    assert folder_name(tmp_path / root / folder, tmp_path / root) == name


def test_no_further_up_than_some_folders() -> None:
    root = Path("/far/run/runs/logs/tb/csv/out")
    assert folder_name(root, root) == "logs/tb/csv/out"
    assert folder_name(Path("/run"), Path("/run")) == "run"
    assert folder_name(Path("/run/logs"), Path("/run")) == "logs"


def test_nothing_above_a_copy() -> None:
    root = Path("/tmp/abc/run")
    assert folder_name(root, root, above=False) == "run"
    assert folder_name(root / "logs", root, above=False) == "logs"


def test_the_folder_one_stands_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "bert" / "run").mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "bert" / "run")
    assert folder_name(Path(), Path()) == "bert"


def test_a_run_that_was_loaded(tmp_path: Path) -> None:
    folder = tmp_path / "bert" / "run"
    folder.mkdir(parents=True)
    (folder / "log.csv").write_text("step,loss\n1,2.0\n2,1.5\n3,1.0\n")
    assert [run.name for run in load_runs(folder)] == ["bert"]
    (folder / "other.csv").write_text("step,loss\n1,9.0\n2,7.5\n3,7.0\n")
    assert [run.name for run in load_runs(folder)] == ["bert/log.csv", "bert/other.csv"]
