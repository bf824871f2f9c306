from __future__ import annotations

import io
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from spikedoc.cli.entry import run
from spikedoc.cli.inputs import identity, keep_inputs
from spikedoc.errors import UsageError

DATA = Path(__file__).parents[1] / "data"
LOG = "step,loss\n" + "".join(f"{step},{2.0 - step / 100}\n" for step in range(40))
COMMANDS = (["analyze", "--fail-on", "never"], ["series"], ["convert"])


def standard_input(monkeypatch: pytest.MonkeyPatch, data: bytes) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))


@pytest.mark.parametrize("command", COMMANDS)
def test_a_dash_reads_the_standard_input(
    command: Sequence[str],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    standard_input(monkeypatch, LOG.encode())
    assert run([*command, "-"]) == 0
    assert "loss" in capsys.readouterr().out


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("data", [b"", b"\x00" * 64, b"nothing here\n"])
def test_a_standard_input_without_a_log_is_exit_2(
    command: Sequence[str],
    data: bytes,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    standard_input(monkeypatch, data)
    assert run([*command, "-"]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("spikedoc: ")


def test_a_pattern_without_a_match_is_told_and_the_others_are_read(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "m.csv").write_text(LOG)
    assert run(["series", f"{tmp_path}/*.json", f"{tmp_path}/*.csv"]) == 2
    out, err = capsys.readouterr()
    assert "loss" in out
    assert "*.json" in err


@pytest.mark.parametrize(
    "command",
    [
        ["analyze", "--fail-on", "never", "--format", "text"],
        ["series", "--format", "text"],
        ["convert", "--format", "csv"],
        ["check", "--no-config", "--format", "text"],
    ],
)
@pytest.mark.parametrize("twin", ["m.csv", "soft.csv", "hard.csv"])
def test_a_log_is_never_written_over(
    command: Sequence[str], twin: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    log = tmp_path / "run" / "m.csv"
    log.parent.mkdir()
    log.write_text(LOG)
    (tmp_path / "soft.csv").symlink_to(log)
    (tmp_path / "hard.csv").hardlink_to(log)
    output = log if twin == "m.csv" else tmp_path / twin
    for given in (log, log.parent):
        assert run([*command, str(given), "-o", str(output)]) == 2
        assert f"cannot write {output}: it was read here" in capsys.readouterr().err
    assert log.read_text() == LOG


@pytest.mark.parametrize(
    "command",
    [
        ["compare", "--fail-on", "never", "--format", "text"],
        ["sweep", "--format", "text"],
        ["baseline", "build", "--force"],
    ],
)
@pytest.mark.parametrize("whole", [True, False])
def test_a_log_of_several_is_never_written_over(
    command: Sequence[str], whole: bool, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    runs = tmp_path / "runs"
    logs = [runs / name / "m.csv" for name in ("a", "b")]
    for place, log in enumerate(logs):
        log.parent.mkdir(parents=True)
        log.write_text(LOG.replace("1.5", f"1.5{place}"))
    before = [log.read_text() for log in logs]
    (tmp_path / "twin.csv").symlink_to(logs[1])
    paths = [runs] if whole else [log.parent for log in logs]
    for output in (logs[1], tmp_path / "twin.csv"):
        assert run([*command, *map(str, paths), "-o", str(output)]) == 2
        assert f"cannot write {output}: it was read here" in capsys.readouterr().err
    assert [log.read_text() for log in logs] == before


def test_a_reference_is_never_written_over(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    log, reference = tmp_path / "m.csv", tmp_path / "reference.json"
    log.write_text(LOG)
    assert run(["baseline", "build", "--force", str(log), "-o", str(reference)]) == 0
    before = reference.read_text()
    given = ["compare", str(log), str(log), "--reference", str(reference), "-o", str(reference)]
    assert run(given) == 2
    assert "it was read here" in capsys.readouterr().err
    assert reference.read_text() == before


def test_a_table_of_samples_is_never_written_over(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    table = tmp_path / "losses.csv"
    table.write_bytes((DATA / "samples" / "losses.csv").read_bytes())
    before = table.read_bytes()
    assert run(["samples", str(table), "--format", "text", "-o", str(table)]) == 2
    assert f"cannot write {table}: it was read here" in capsys.readouterr().err
    assert table.read_bytes() == before


@pytest.mark.parametrize("name", ["m.csv", "m.jsonl", "m.db"])
def test_a_log_is_no_store_of_a_scan(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    log = tmp_path / name
    log.write_text(LOG)
    assert run(["scan", str(tmp_path), "--workers", "0", "-o", str(log)]) == 2
    assert str(log) in capsys.readouterr().err
    assert log.read_text() == LOG


def test_a_dash_as_output_is_the_standard_output(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("m.csv").write_text(LOG)
    assert run(["analyze", "m.csv", "--fail-on", "never", "-o", "-"]) == 0
    assert run(["check", "m.csv", "--format", "json=-", "--allow-unknown"]) == 0
    assert '"spikedoc-check/1"' in capsys.readouterr().out
    assert [file.name for file in tmp_path.iterdir()] == ["m.csv"]


def test_identity(tmp_path: Path) -> None:
    file = tmp_path / "a"
    assert identity(file) == file
    file.touch()
    assert identity(tmp_path / "x" / ".." / "a") is not None
    assert identity(tmp_path / "." / "a") == identity(file) != file
    assert identity(Path("/dev/null")) is None
    keep_inputs([None, file], ["-", "s3://bucket/a", "~nobody-at-all/a", None, tmp_path / "b"])
    with pytest.raises(UsageError, match="it was read here"):
        keep_inputs([file], [str(file)])


def test_a_log_in_a_folder_that_was_read_is_kept(tmp_path: Path) -> None:
    log, report = tmp_path / "log.csv", tmp_path / "report.html"
    log.write_text("step,loss\n" + "".join(f"{i},0.5\n" for i in range(20)))
    report.write_text("<html></html>")
    keep_inputs([report, tmp_path / "new.csv"], [tmp_path])
    with pytest.raises(UsageError, match="it was read here"):
        keep_inputs([log], [tmp_path])
