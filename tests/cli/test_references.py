"""Where a reference comes from: a file, or healthy runs."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from spikedoc.cli.references import open_reference, read_healthy
from spikedoc.cli.session import Session
from spikedoc.errors import UsageError
from spikedoc.reference.codec import dump


def write(file: Path, seed: int, *, broken: bool = False, lr: float = 0.1) -> Path:
    rng = np.random.default_rng(seed)
    loss = (0.5 + 2.0 * np.exp(-np.arange(400) / 60.0)) * np.exp(rng.normal(0.0, 0.05, 400))
    if broken:
        loss[200:] = np.nan
    file.parent.mkdir(parents=True, exist_ok=True)
    rows = [f"{step},{value}" for step, value in enumerate(loss.tolist())]
    file.write_text("\n".join(["step,loss", *rows]))
    (file.parent / "config.json").write_text(f'{{"learning_rate": {lr}}}')
    return file


@pytest.fixture
def runs(tmp_path: Path) -> Path:
    for seed in range(3):
        write(tmp_path / f"runs/{seed}/log.csv", seed)
    return tmp_path / "runs"


def read(*paths: Path, force: bool = False):
    words = [str(path) for path in paths]
    return read_healthy(words, Session(), mapping={}, force=force, quiet=True)


def test_healthy_runs(runs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = read(runs)
    assert (len(found.runs), found.code) == (3, 0)
    assert capsys.readouterr().err == ""


def test_a_run_that_is_not_healthy_is_named(runs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(runs / "9/log.csv", 9, broken=True)
    found = read(runs)
    assert (len(found.runs), found.code) == (3, 1)
    said = capsys.readouterr().err
    assert "9: not healthy (critical: " in said.replace("log.csv", "")
    assert "--force takes it" in said
    forced = read(runs, force=True)
    assert (len(forced.runs), forced.code) == (4, 0)


def test_what_cannot_be_read(runs: Path) -> None:
    assert read(runs, runs / "nowhere").code == 2


def test_settings_that_differ_are_said(runs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(runs / "5/log.csv", 5, lr=0.2)
    read(runs)
    assert "the healthy runs differ in lr" in capsys.readouterr().err


def opened(path: Path | None):
    return open_reference(path, Session(), mapping={}, quiet=True)


def test_a_file_a_folder_and_one_log_give_the_same_kind(runs: Path, tmp_path: Path) -> None:
    folder = opened(runs)
    assert folder is not None
    assert len(folder.runs) == 3
    (tmp_path / "r.json").write_text(dump(folder))
    (tmp_path / "kept").write_text(dump(folder))
    for name in ("r.json", "kept"):
        found = opened(tmp_path / name)
        assert found is not None
        assert found.runs == folder.runs
    single = opened(runs / "0/log.csv")
    assert single is not None
    assert len(single.runs) == 1
    assert opened(None) is None


def test_nothing_healthy_is_no_reference(tmp_path: Path) -> None:
    file = write(tmp_path / "a/log.csv", 0, broken=True)
    with pytest.raises(UsageError, match="no healthy run"):
        opened(file)
    with pytest.raises(UsageError, match="no such reference"):
        opened(tmp_path / "none.json")
