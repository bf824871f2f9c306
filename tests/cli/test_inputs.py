from __future__ import annotations

import io
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from spikedoc.cli.entry import run

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
