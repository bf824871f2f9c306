from __future__ import annotations

import json

import fleets
import pytest
from rich.cells import cell_len

from spikedoc.fleet.digest import FORMATS, SCHEMA, as_json, as_text, markdown
from spikedoc.fleet.record import State
from spikedoc.fleet.summary import summarise
from spikedoc.renderers.base import RenderOptions
from spikedoc.text import Language, Text

TITLES = {"SD401": Text("fp16 overflows", "数值超出 fp16 范围")}
HOSTILE = "\x1b[2J<script>alert(1)</script>|`x`\u202e@you #1"
SUMMARY = summarise(
    [
        fleets.record("vision/run", State.CRITICAL, last_time=1.7e9),
        fleets.record(f"{HOSTILE}/run", State.WARNING),
        fleets.record("speech/run"),
        fleets.record("b", State.FAILED, error=HOSTILE),
    ]
)


@pytest.mark.parametrize("language", list(Language))
@pytest.mark.parametrize("width", [80, 200])
def test_the_terminal_keeps_its_width(language: Language, width: int) -> None:
    text = as_text(SUMMARY, TITLES, RenderOptions(language, width))
    assert max(map(cell_len, text.splitlines())) <= width
    assert "\x1b" not in text
    assert "\u202e" not in text
    assert "SD401" in text
    assert TITLES["SD401"].get(language) in text


def test_without_signs_it_is_ascii() -> None:
    text = as_text(SUMMARY, TITLES, RenderOptions(unicode=False))
    assert text.isascii()


def test_colour_is_only_where_it_is_wanted() -> None:
    assert "\x1b[1m" in as_text(SUMMARY, TITLES, RenderOptions(color=True))


def test_markdown_shows_names_as_they_are() -> None:
    text = markdown(SUMMARY, TITLES, RenderOptions(Language.ZH))
    assert "<script>" not in text
    assert "&lt;script&gt;" in text
    assert "#### 最可能的原因" in text
    for line in text.splitlines():
        if line.startswith("|"):
            assert line.endswith("|")


def test_json_has_all_figures() -> None:
    values = json.loads(as_json(SUMMARY, TITLES, RenderOptions()))
    assert values["schema"] == SCHEMA
    assert values["runs"] == 3
    assert values["counts"]["failed"] == 1
    assert values["causes"][0]["rule"] == "SD401"
    assert values["causes"][0]["title"]["zh"] == "数值超出 fp16 范围"
    assert {"project": "vision", "runs": 1, "critical": 1, "warning": 0, "unknown": 0, "healthy": 0
            } in values["projects"]  # fmt: skip
    assert values["weeks"][-1]["week"] is None


@pytest.mark.parametrize("name", FORMATS)
def test_nothing_is_no_error(name: str) -> None:
    assert FORMATS[name](summarise([]), {}, RenderOptions()).endswith("\n")
