from __future__ import annotations

import io
import sys

import pytest

from spikedoc.cli import progress as progress_module
from spikedoc.cli.progress import LongRead


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    now = [100.0]
    monkeypatch.setattr(progress_module.time, "monotonic", lambda: now[0])
    monkeypatch.setenv("TERM", "xterm")
    return now


def read(clock: list[float], seconds: float, *, enabled: bool = True) -> None:
    with LongRead("[red]run", enabled=enabled) as progress:
        progress(0, 100)
        clock[0] += seconds
        progress(40, 100)
        progress(100, 100)


def test_a_long_read_shows_a_bar_and_takes_it_away(
    clock: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    stderr = Terminal()
    monkeypatch.setattr(sys, "stderr", stderr)
    read(clock, 0.6)
    assert "[red]run" in stderr.getvalue()
    assert "100/100 bytes" in stderr.getvalue() or "40/100" in stderr.getvalue()


def test_a_short_read_shows_nothing(clock: list[float], monkeypatch: pytest.MonkeyPatch) -> None:
    stderr = Terminal()
    monkeypatch.setattr(sys, "stderr", stderr)
    read(clock, 0.4)
    assert stderr.getvalue() == ""


@pytest.mark.parametrize(("stream", "enabled"), [(io.StringIO, True), (Terminal, False)])
def test_no_terminal_or_quiet_no_bar(
    clock: list[float], monkeypatch: pytest.MonkeyPatch, stream: type[io.StringIO], enabled: bool
) -> None:
    stderr = stream()
    monkeypatch.setattr(sys, "stderr", stderr)
    read(clock, 5.0, enabled=enabled)
    assert stderr.getvalue() == ""
