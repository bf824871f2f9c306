"""The folder that `add_hparams` makes is no run of its own."""

from __future__ import annotations

from pathlib import Path

import pytest

from spikedoc.ingest import load_runs
from tests.notes import english

tensorboard = pytest.importorskip("tensorboardX")
WRITTEN = "1796099045.15"


def write(folder: Path, curves: int, results: bool = True) -> None:
    with tensorboard.SummaryWriter(str(folder)) as writer:
        for step in range(curves):
            writer.add_scalar("train/loss", 1 / (step + 1), step)
        if results:
            writer.add_hparams({"lr": 0.25, "bs": 32}, {"hparam/accuracy": 0.5}, name=WRITTEN)


def test_its_settings_go_to_the_run_above(tmp_path: Path) -> None:
    write(tmp_path / "run", curves=24)
    (run,) = load_runs(tmp_path)
    assert [one.tag for one in run.series] == ["train/loss"]
    assert run.config["lr"] == 0.25
    told = english([note for source in run.sources for note in source.notes])
    assert any("hparam/accuracy" in note and "left out" in note for note in told)


def test_alone_it_is_a_run(tmp_path: Path) -> None:
    write(tmp_path / "run", curves=0)
    (run,) = load_runs(tmp_path)
    assert [one.tag for one in run.series] == ["hparam/accuracy"]


def test_a_short_curve_below_a_run_is_one(tmp_path: Path) -> None:
    write(tmp_path / "run", curves=24, results=False)
    write(tmp_path / "run" / "again", curves=1, results=False)
    assert len(list(load_runs(tmp_path))) == 2
