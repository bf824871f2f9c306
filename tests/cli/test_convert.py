"""Tables written out: what is missing, what is NaN, and whether spikedoc reads them again."""

from __future__ import annotations

import csv
import io
import json
import math
from pathlib import Path

import numpy as np
import pytest

from spikedoc.cli.entry import run
from spikedoc.ingest import load_runs
from spikedoc.model.run import Run

ROWS = [
    {"step": 0, "loss": 1.5, "timestamp": 1.7e9},
    {"step": 10, "loss": float("nan"), "eval_loss": 0.125, "timestamp": 1.7e9 + 1},
    {"step": 20, "loss": float("inf"), "eval_loss": float("-inf"), "timestamp": 1.7e9 + 2},
    {"step": 30, "loss": 0.1 + 0.2, "+grad_norm": 3.0, "timestamp": 1.7e9 + 3},
]


@pytest.fixture
def log(tmp_path: Path) -> Path:
    file = tmp_path / "log.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in ROWS))
    return file


def called(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, str, str]:
    code = run(["convert", *map(str, arguments)])
    out, err = capsys.readouterr()
    return code, out, err


def points(found: Run) -> dict[str, list[tuple[int, float | str]]]:
    return {
        one.tag: [
            (int(step), "nan" if math.isnan(value) else float(value))
            for step, value in zip(one.steps, one.values, strict=True)
        ]
        for one in found.series
    }


def test_wide_csv_keeps_nan_apart_from_missing(
    log: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, out, err = called(capsys, log)
    rows = list(csv.DictReader(io.StringIO(out)))
    assert (code, err) == (0, "")
    assert [row["step"] for row in rows] == ["0", "10", "20", "30"]
    assert [row["loss"] for row in rows] == ["1.5", "nan", "inf", repr(0.1 + 0.2)]
    assert [row["eval_loss"] for row in rows] == ["", "0.125", "-inf", ""]
    assert [row["'+grad_norm"] for row in rows] == ["", "", "", "3.0"]
    assert float(rows[2]["wall_time"]) == 1.7e9 + 2


def test_long_csv_has_a_row_for_each_value(log: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = called(capsys, log, "--shape", "long")
    rows = list(csv.DictReader(io.StringIO(out)))
    assert len(rows) == 4 + 2 + 1
    told = {(row["metric"], row["step"]): (row["role"], row["value"]) for row in rows}
    assert told["eval_loss", "20"] == ("val_loss", "-inf")
    assert told["'+grad_norm", "30"] == ("other", "3.0")


def test_json_lines_are_strict_json(log: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def refuse(word: str) -> float:
        raise AssertionError(f"{word} is no JSON")

    _, out, _ = called(capsys, log, "--format", "jsonl")
    rows = [json.loads(line, parse_constant=refuse) for line in out.splitlines()]
    assert rows[0] == {"step": 0, "loss": 1.5, "wall_time": 1.7e9}
    assert rows[1]["loss"] == "NaN"
    assert (rows[2]["loss"], rows[2]["eval_loss"]) == ("Infinity", "-Infinity")
    _, out, _ = called(capsys, log, "--format", "jsonl", "--shape", "long")
    first = json.loads(out.splitlines()[0], parse_constant=refuse)
    assert (first["run"], first["metric"], first["value"]) == ("log.jsonl", "loss", 1.5)


@pytest.mark.parametrize(
    ("shape", "suffix"),
    [
        ("wide", "csv"),
        ("long", "csv"),
        ("wide", "jsonl"),
        ("long", "jsonl"),
        ("wide", "parquet"),
        ("long", "parquet"),
    ],
)
def test_what_was_written_is_read_again(
    shape: str, suffix: str, log: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    if suffix == "parquet":
        pytest.importorskip("pyarrow")
    target = tmp_path / "out" / f"run.{suffix}"
    target.parent.mkdir()
    code, out, _ = called(capsys, log, "-o", target, "--shape", shape)
    assert (code, out) == (0, "")
    (before,), (after,) = load_runs(log), load_runs(target)
    assert points(after) == points(before)


def test_parquet_has_nulls_for_what_is_missing(
    log: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    target = tmp_path / "run.parquet"
    assert called(capsys, log, "-o", target)[0] == 0
    table = parquet.read_table(target)
    assert table["eval_loss"].to_pylist() == [None, 0.125, -math.inf, None]
    assert math.isnan(table["loss"].to_pylist()[1])
    assert table["step"].to_pylist() == [0, 10, 20, 30]
    assert called(capsys, log, "-o", target, "--shape", "long")[0] == 0
    first = parquet.read_table(target).to_pylist()[0]
    assert first == {
        "run": "log.jsonl",
        "step": 0,
        "metric": "loss",
        "role": "loss",
        "value": 1.5,
        "wall_time": 1.7e9,
    }


def test_parquet_without_its_package_is_told(
    log: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(__import__("sys").modules, "pyarrow", None)
    code, _, err = called(capsys, log, "-o", tmp_path / "run.parquet")
    assert code == 2
    assert "pip install pyarrow" in err
    assert not (tmp_path / "run.parquet").exists()


def test_a_long_run_is_written_in_pieces(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("spikedoc.cli.tables.ROWS_AT_A_TIME", 7)
    file = tmp_path / "log.csv"
    every_third = [f"{step},{step / 8},{step if step % 3 == 0 else ''}\n" for step in range(50)]
    file.write_text("step,loss,val_loss\n" + "".join(every_third))
    for format_ in ("csv", "jsonl"):
        for shape in ("wide", "long"):
            target = tmp_path / f"{shape}.{format_}"
            assert called(capsys, file, "-o", target, "--shape", shape)[0] == 0
            assert points(load_runs(target)[0]) == points(load_runs(file)[0])


class TestChoices:
    def test_one_of_several_runs(self, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        for name, level in (("a", 1), ("b", 2)):
            (tmp_path / name).mkdir()
            text = "".join(f"{step},{level}.5\n" for step in range(9))
            (tmp_path / name / "m.csv").write_text("step,loss\n" + text)
        code, out, err = called(capsys, tmp_path)
        assert (code, out) == (2, "")
        assert "--run" in err
        assert "a, b" in err
        assert called(capsys, tmp_path, "--run", "b")[1].splitlines()[1] == "0,2.5"
        assert called(capsys, tmp_path, "--run", "c")[0] == 2

    @pytest.mark.parametrize("name", ["run.xlsx", "run.md"])
    def test_an_unknown_suffix(
        self, name: str, log: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        assert called(capsys, log, "-o", tmp_path / name)[0] == 2
        assert called(capsys, log, "-o", tmp_path / name, "--format", "csv")[0] == 0

    def test_parquet_needs_a_file(self, log: Path, capsys: pytest.CaptureFixture[str]) -> None:
        assert called(capsys, log, "--format", "parquet")[0] == 2

    def test_the_log_is_never_written_over(
        self, log: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        before = log.read_bytes()
        assert called(capsys, log, "-o", log)[0] == 2
        assert log.read_bytes() == before

    def test_a_folder_that_is_not_there(
        self, log: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        assert called(capsys, log, "-o", tmp_path / "no/run.csv")[0] == 2


def test_numbers_are_not_marked(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "log.csv"
    file.write_text("step,loss\n0,-1.5\n1,-2.5\n2,-3.5\n")
    out = called(capsys, file)[1]
    assert out.splitlines()[1:] == ["0,-1.5", "1,-2.5", "2,-3.5"]
    assert np.array_equal(load_runs(file)[0].series[0].values, [-1.5, -2.5, -3.5])
