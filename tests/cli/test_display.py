from __future__ import annotations

import io
import sys
from pathlib import Path

import pytest

from spikedoc.cli.display import choose_format, formats, use_color
from spikedoc.errors import UsageError


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
    assert {"html", "json", "jsonl", "markdown", "terminal"} <= set(formats())
    assert not any(name.startswith("_") or name == "base" for name in formats())


@pytest.mark.parametrize(
    ("format_", "file", "wanted"),
    [
        (None, None, "terminal"),
        (None, "r.md", "markdown"),
        (None, "r.JSON", "json"),
        (None, "r.htm", "html"),
        (None, "r.unheard", "terminal"),
        ("json", "r.md", "json"),
    ],
)
def test_choose_format(format_: str | None, file: str | None, wanted: str) -> None:
    assert choose_format(format_, Path(file) if file else None) == wanted


@pytest.mark.parametrize("file", ["a.xml", "b.PDF", "c.csv"])
def test_a_format_that_is_not_written_is_refused(file: str) -> None:
    with pytest.raises(UsageError, match=r"there is no format (xml|pdf|csv); .*markdown"):
        choose_format(None, Path(file))
    assert choose_format("json", Path(file)) == "json"
