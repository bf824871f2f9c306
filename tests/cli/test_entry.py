"""Which command is run, and which exit code comes of what goes wrong."""

from __future__ import annotations

import errno
import sys
from collections.abc import Callable
from pathlib import Path

import click
import pytest

from spikedoc.cli.entry import EXIT_INTERRUPTED, commands, run
from spikedoc.errors import CatalogError, InputError, ReportError, UsageError

Captured = pytest.CaptureFixture[str]


def failing(error: BaseException) -> click.Command:
    def fail() -> None:
        raise error

    return click.Command("fail", callback=fail)


@pytest.fixture
def fail(monkeypatch: pytest.MonkeyPatch) -> Callable[[BaseException], int]:
    """Run a command that raises `error`; return the exit code."""

    def run_failing(error: BaseException) -> int:
        monkeypatch.setitem(commands.commands, "fail", failing(error))
        return run(["fail"])

    return run_failing


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (InputError("a.csv", "is empty"), 2),
        (UsageError("no such role"), 2),
        (CatalogError("x.toml", "prior", "is missing"), 2),
        (ReportError("no report"), 2),
        (click.UsageError("no such option"), 2),
        (click.Abort(), EXIT_INTERRUPTED),
        (KeyboardInterrupt(), EXIT_INTERRUPTED),
        (SystemExit(0), 0),
        (ZeroDivisionError("boom"), 3),
        (MemoryError(), 3),
        (RecursionError(), 3),
    ],
)
def test_exit_codes(
    error: BaseException, code: int, fail: Callable[[BaseException], int], capsys: Captured
) -> None:
    assert fail(error) == code
    assert "Traceback" not in capsys.readouterr().err


def test_every_command_has_help(capsys: Captured) -> None:
    assert sorted(commands.commands) == [
        "analyze",
        "baseline",
        "check",
        "compare",
        "convert",
        "explain",
        "report",
        "rules",
        "samples",
        "scan",
        "schema",
        "series",
        "sweep",
    ]
    for name in commands.commands:
        assert run([name, "--help"]) == 0
        assert f"spikedoc {name}" in capsys.readouterr().out


def test_what_is_no_command_is_exit_2(capsys: Captured) -> None:
    assert run(["unheard"]) == 2
    assert run(["--unheard"]) == 2
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize("arguments", [["rules"], ["explain", "SD404"], ["series"], ["analyze"]])
def test_a_closed_standard_output_is_told(
    arguments: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Captured
) -> None:
    log = tmp_path / "log.csv"
    log.write_text("step,loss\n1,2\n2,1\n")
    monkeypatch.setattr(sys, "stdout", None)
    assert run([*arguments, *([str(log)] if arguments[0] in ("series", "analyze") else [])]) == 2
    assert "cannot write to the standard output: it is closed" in capsys.readouterr().err


@pytest.mark.parametrize("command", ["analyze", "series"])
def test_an_empty_path_is_refused(command: str, capsys: Captured) -> None:
    assert run([command, ""]) == 2
    assert "an empty PATH" in capsys.readouterr().err


def test_help_on_a_full_disk(fail: Callable[[BaseException], int], capsys: Captured) -> None:
    assert fail(OSError(errno.ENOSPC, "No space left on device")) == 2
    assert "no access to the standard output: No space left" in capsys.readouterr().err
