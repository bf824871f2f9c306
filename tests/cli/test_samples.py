"""`spikedoc samples`: exit codes, files, what is asked wrongly."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from samples_factory import BAD, write_csv

from spikedoc.cli.entry import run


def test_exit_codes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    bad = write_csv(tmp_path / "bad.csv")
    healthy = write_csv(tmp_path / "healthy.csv", bad=False)
    assert run(["samples", str(bad)]) == 1
    assert BAD in capsys.readouterr().out
    assert run(["samples", str(healthy)]) == 0
    assert run(["samples", str(tmp_path / "nothing.csv")]) == 2
    assert run(["samples", str(bad), "--at", "1000"]) == 2
    assert "the table has 0 to 79" in capsys.readouterr().err


def test_as_many_as_asked_for_in_a_file(tmp_path: Path) -> None:
    out = tmp_path / "ranking.json"
    assert run(["samples", str(write_csv(tmp_path / "a.csv")), "--top", "4", "-o", str(out)]) == 1
    assert len(json.loads(out.read_text())["ranked"]) == 4


def test_a_run_is_no_such_table(capsys: pytest.CaptureFixture[str]) -> None:
    log = Path(__file__).parents[2] / "sample_logs/nan_in_loss_log0/run/train.csv"
    assert run(["samples", str(log)]) == 2
    assert "it needs a column with the sample" in capsys.readouterr().err
