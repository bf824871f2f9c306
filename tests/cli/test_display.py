from __future__ import annotations

import io
import sys
from pathlib import Path

import pytest

from spikedoc.cli.display import formats, use_color


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("choice", "to_file", "environment", "wanted"),
    [
        ("auto", False, {}, True),
        ("auto", False, {"TERM": "dumb"}, False),
        ("auto", False, {"NO_COLOR": "1"}, False),
        ("auto", False, {"NO_COLOR": ""}, True),
        ("auto", True, {"FORCE_COLOR": "1"}, False),
        ("always", True, {"NO_COLOR": "1"}, True),
        ("never", False, {"FORCE_COLOR": "1"}, False),
    ],
)
def test_colour_on_a_terminal(
    monkeypatch: pytest.MonkeyPatch,
    choice: str,
    to_file: bool,
    environment: dict[str, str],
    wanted: bool,
) -> None:
    monkeypatch.setattr(sys, "stdout", Terminal())
    assert use_color(choice, Path("x") if to_file else None, environment) is wanted


@pytest.mark.parametrize(("force", "wanted"), [("1", True), ("0", False), ("", False)])
def test_colour_in_a_pipe(monkeypatch: pytest.MonkeyPatch, force: str, wanted: bool) -> None:
    monkeypatch.setattr(sys, "stdout", io.StringIO())
    assert use_color("auto", None, {"FORCE_COLOR": force}) is wanted


def test_formats_are_the_modules_that_are_there() -> None:
    assert {"html", "json", "jsonl", "markdown", "text"} <= set(formats())
    assert formats()[0] == "text"
    assert not any(name.startswith("_") or name == "base" for name in formats())
