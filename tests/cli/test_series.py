from __future__ import annotations

import csv
import io
import json
import sys
from pathlib import Path

import pytest

from spikedoc.cli.entry import run

ROWS = "step,loss,eval_loss,=cmd()\n" + "".join(
    f"{step},{'nan' if step == 30 else 'inf' if step == 40 else 1.5},"
    f"{0.5 if step % 20 == 0 else ''},-1\n"
    for step in range(0, 100, 10)
)


@pytest.fixture
def log(tmp_path: Path) -> Path:
    file = tmp_path / "train.csv"
    file.write_text(ROWS)
    return file


def called(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, str, str]:
    code = run(["series", *map(str, arguments)])
    out, err = capsys.readouterr()
    return code, out, err


def test_plain_columns_off_a_terminal(log: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = called(capsys, log)
    lines = [line.split() for line in out.splitlines()]
    assert code == 0
    assert lines[0] == ["train.csv:", "3", "series"]
    assert ["loss", "loss", "10", "0..90", "10", "1", "nan,", "1", "inf", "train.csv"] in lines
    assert ["val_loss", "eval_loss", "5", "0..80", "20", "train.csv"] in lines


def test_json_for_programs(log: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = called(capsys, log, "--format", "json")
    (found,) = json.loads(out)
    by_tag = {one["tag"]: one for one in found["series"]}
    assert (code, err) == (0, "")
    assert by_tag["loss"] == {
        "name": "loss",
        "role": "loss",
        "tag": "loss",
        "points": 10,
        "first_step": 0,
        "last_step": 90,
        "stride": 10.0,
        "nan": 1,
        "infinite": 1,
        "source": "train.csv",
    }
    assert found["run"] == "train.csv"
    assert found["sources"][0]["reader"] == "csv"


def test_csv_names_are_no_formulas(log: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = called(capsys, log, "--format", "csv")
    rows = list(csv.DictReader(io.StringIO(out)))
    assert [row["tag"] for row in rows] == ["loss", "eval_loss", "'=cmd()"]
    assert rows[0]["nan"] == "1"


def test_roles_by_hand(log: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = called(capsys, log, "--format", "csv", "--map", "lr==cmd()")
    assert {row["tag"]: row["role"] for row in csv.DictReader(io.StringIO(out))}["'=cmd()"] == "lr"
    assert called(capsys, log, "--map", "lr=absent")[0] == 2


def test_notes_are_on_the_standard_error(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "epochs.csv"
    file.write_text("epoch,loss\n0,1\n1,0.5\n2,0.4\n")
    assert "steps are epoch numbers" in called(capsys, file)[2]
    assert called(capsys, file, "-q")[2] == ""


def test_a_file(log: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    target = tmp_path / "list.txt"
    code, out, _ = called(capsys, log, "-o", target)
    assert (code, out) == (0, "")
    assert "val_loss" in target.read_text()
    assert called(capsys, log, "-o", tmp_path / "no/such/folder.txt")[0] == 2


def test_a_table_is_drawn_on_a_terminal(
    log: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    monkeypatch.setenv("NO_COLOR", "1")
    code, out, _ = called(capsys, log)
    assert code == 0
    assert "eval_loss" in out
    assert any(sign in out for sign in "─━-")


def test_names_cannot_act_on_a_terminal(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "bad.csv"
    file.write_text("step,loss,a\x1b[31m[red]b\n0,1,1\n1,1,1\n2,1,1\n")
    for format_ in ("text", "json"):
        assert "\x1b" not in called(capsys, file, "--format", format_)[1]


def test_nothing_readable_is_exit_2(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = called(capsys, tmp_path)
    assert (code, out) == (2, "")
    assert "empty folder" in err
