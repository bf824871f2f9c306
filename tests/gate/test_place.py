"""The line of a configuration file where a setting is written."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from spikedoc.gate.place import LARGEST_BYTES, WORKSPACES, Place, root_of, setting_line


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    here = tmp_path / "project"
    (here / "runs/a").mkdir(parents=True)
    (here / "runs/a/log.csv").write_text("step,loss\n")
    for name in WORKSPACES:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(here)
    return here


LOG = "runs/a/log.csv"


@pytest.mark.parametrize(
    ("name", "text", "settings", "line"),
    [
        ("c.yaml", "a: 1\nlr: 0.1\n", ("lr",), 2),
        ("c.yaml", "optimizer:\n  - learning_rate: 0.1\n", ("lr",), 2),
        ("c.json", '{\n  "max_grad_norm": 1.0\n}\n', ("clip",), 2),
        ("c.toml", "lr = 1\nwarmup_steps = 10\n", ("warmup", "lr"), 2),
        ("c.yaml", "my_lr: 0.1\nlr_scheduler: cosine\n", ("lr",), None),
        ("c.yaml", "lr: 0.1\n", ("clip", "lr"), 1),
        ("c.yaml", "lr: 0.1\n", (), None),
        ("c.yaml", "lr: 0.1\n", ("anomaly",), None),
        ("notes.md", "lr: 0.1\n", ("lr",), None),
    ],
)
def test_where_it_is_written(
    project: Path, name: str, text: str, settings: tuple[str, ...], line: int | None
) -> None:
    (project / "runs/a" / name).write_text(text)
    expected = None if line is None else Place(Path("runs/a") / name, line)
    assert setting_line(LOG, settings) == expected


def test_a_file_above_the_run_counts_and_the_nearest_wins(project: Path) -> None:
    (project / "config.yaml").write_text("lr: 1\n")
    assert setting_line(LOG, ("lr",)) == Place(Path("config.yaml"), 1)
    (project / "runs/a/config.yaml").write_text("\nlr: 1\n")
    assert setting_line(LOG, ("lr",)) == Place(Path("runs/a/config.yaml"), 2)


def test_nothing_outside_the_folder_we_are_in(project: Path) -> None:
    (project.parent / "config.yaml").write_text("lr: 1\n")
    (project / "runs/a/link.yaml").symlink_to(project.parent / "config.yaml")
    assert setting_line(LOG, ("lr",)) is None
    assert setting_line(str(project.parent / "log.csv"), ("lr",)) is None
    (project / "config.yaml").write_text("lr: 1\n")
    assert setting_line("s3://bucket/log.csv", ("lr",)) is None
    assert setting_line("\0", ("lr",)) is None


def test_what_is_no_configuration(project: Path) -> None:
    (project / "runs/a/big.yaml").write_text("lr: 1\n" + "#" * LARGEST_BYTES)
    os.mkfifo(project / "runs/a/pipe.yaml")
    (project / "runs/a/folder.yaml").mkdir()
    (project / "runs/a/log.json").write_text("lr: 1\n")
    assert setting_line("runs/a/log.json", ("lr",)) is None


@pytest.mark.parametrize("name", WORKSPACES)
def test_paths_begin_where_the_ci_system_checked_out(
    project: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setenv(name, str(project.parent))
    assert root_of(project / LOG) == project.parent
    assert root_of(Path("/elsewhere/log.csv")) == project
    (project / "config.yaml").write_text("lr: 1\n")
    assert setting_line(LOG, ("lr",)) == Place(Path("project/config.yaml"), 1)


def test_paths_begin_at_the_repository(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (project.parent / ".git").mkdir()
    assert root_of(project / LOG) == project.parent
    monkeypatch.chdir("/")
    assert root_of(project / LOG) == project.parent
    assert root_of(Path("/elsewhere/log.csv")) == Path("/")
    inner = project / "runs"
    (inner / ".git").touch()  # a worktree or a submodule: a file, not a folder
    assert root_of(project / LOG) == inner
    monkeypatch.chdir(project)
    assert root_of(project / LOG) == project.parent
