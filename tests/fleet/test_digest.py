from __future__ import annotations

import json

import fleets
import pytest
from rich.cells import cell_len

from spikedoc.fleet.digest import FORMATS, SCHEMA, as_json, as_text, markdown
from spikedoc.fleet.record import State
from spikedoc.fleet.summary import Summary, summarise
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
    assert "&lt;script>" in text
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


def bad_batch(project: str) -> Summary:
    return summarise(
        [
            fleets.record(
                f"{project}/run{n}", first_step=0, last_step=4000, spikes=fleets.trace(n, 777)
            )
            for n in range(3)
        ]
    )


@pytest.mark.parametrize("name", ["text", "markdown"])
def test_places_that_several_runs_share_are_told(name: str) -> None:
    english = FORMATS[name](bad_batch("vision"), {}, RenderOptions(width=200))
    assert "The same place in several runs" in english
    assert "Step 777 spikes in 3 of 3 runs (vision/run0" in english
    chinese = FORMATS[name](bad_batch("vision"), {}, RenderOptions(Language.ZH, 200))
    assert "多次训练的同一处" in chinese
    assert "第 777 步在 3 次训练中的 3 次出现尖峰" in chinese
    assert "same place" not in FORMATS[name](SUMMARY, {}, RenderOptions())
    hostile = FORMATS[name](bad_batch(HOSTILE), {}, RenderOptions(width=200))
    assert "\x1b" not in hostile
    assert name == "text" or "<script>" not in hostile


def test_json_has_the_places_that_several_runs_share() -> None:
    (found,) = json.loads(as_json(bad_batch("vision"), {}, RenderOptions()))["coincidences"]
    assert (found["project"], found["view"], found["first"], found["last"]) == (
        "vision",
        "step",
        777,
        777,
    )
    assert (len(found["runs"]), found["among"]) == (3, 3)
    assert found["chance"] < 0.01
    assert set(found["text"]) == {"en", "zh"}
    assert json.loads(as_json(SUMMARY, {}, RenderOptions()))["coincidences"] == []


@pytest.mark.parametrize("name", FORMATS)
def test_nothing_is_no_error(name: str) -> None:
    assert FORMATS[name](summarise([]), {}, RenderOptions()).endswith("\n")
