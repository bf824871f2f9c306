"""What every format says of each sample log, in both languages, word for word.

JSON is kept in short: without what the catalogue says of a rule and without long lists of numbers,
which are counted, and with six digits, for the last ones differ from machine to machine. Of the
page its outline is kept.
"""

from __future__ import annotations

import contextlib
import importlib
import json
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from html_outline import outline

from spikedoc.model.codec import decode
from spikedoc.model.report import Report
from spikedoc.pipeline import analyze_all
from spikedoc.renderers import html
from spikedoc.renderers import json as json_format
from spikedoc.renderers import jsonl as jsonl_format
from spikedoc.renderers.base import RenderOptions
from spikedoc.text import Language

ROOT = Path(__file__).parents[2]
SAMPLES = ROOT / "sample_logs"
CASES = sorted(file.parent.name for file in SAMPLES.glob("*/case.toml"))
SCHEMA = json.loads(
    resources.files("spikedoc.model").joinpath("report.schema.json").read_text(encoding="utf-8")
)
TEXT_FORMATS = {"text": "txt", "markdown": "md", "brief": "brief.md"}
# Kept in the catalogue, with tests of their own, or said again by the checklist.
OF_THE_RULE = frozenset({"definition", "why", "benign_when", "checks", "fixes", "snippet"})
LONG = 40


@cache
def report(case: str) -> Report:
    with contextlib.chdir(ROOT):  # no path of this machine gets into what is compared
        (found,) = analyze_all(Path("sample_logs") / case / "run", with_charts=True)
    return replace(found, spikedoc_version="0")


def short(value: Any, key: str = "") -> Any:
    """Return JSON data without what the golden file need not hold."""
    if key in OF_THE_RULE:
        return "…"
    if isinstance(value, dict):
        return {name: short(one, name) for name, one in value.items()}
    if isinstance(value, list):
        return f"{len(value)} items" if len(value) > LONG else [short(one) for one in value]
    return float(f"{value:.6g}") if isinstance(value, float) else value


@pytest.mark.parametrize("language", list(Language))
@pytest.mark.parametrize("format_", TEXT_FORMATS)
@pytest.mark.parametrize("case", CASES)
def test_text(
    case: str, format_: str, language: Language, golden: Callable[[str, str], None]
) -> None:
    renderer = importlib.import_module(f"spikedoc.renderers.{format_}").RENDERER
    text = renderer(report(case), RenderOptions(language))
    golden(f"cases/{case}.{language.value}.{TEXT_FORMATS[format_]}", text)


@pytest.mark.parametrize("language", list(Language))
@pytest.mark.parametrize("case", CASES)
def test_page(case: str, language: Language, golden: Callable[[str, str], None]) -> None:
    page = html.RENDERER(report(case), RenderOptions(language))
    golden(f"cases/{case}.{language.value}.outline.txt", outline(page, language.value))


@pytest.mark.parametrize("case", CASES)
def test_json(case: str, golden: Callable[[str, str], None]) -> None:
    data = json.loads(json_format.RENDERER(report(case), RenderOptions()))
    jsonschema.validate(data, SCHEMA)
    assert data == json.loads(json_format.RENDERER(report(case), RenderOptions(Language.ZH)))
    text = json.dumps(short(data), ensure_ascii=False, indent=1)
    golden(f"cases/{case}.json", text + "\n")


@pytest.mark.parametrize("case", CASES)
def test_lines_of_json_hold_the_same(case: str) -> None:
    line = jsonl_format.RENDERER(report(case), RenderOptions())
    assert line.count("\n") == 1
    assert json.loads(line) == json.loads(json_format.RENDERER(report(case), RenderOptions()))
    bare = json.loads(jsonl_format.RENDERER(replace(report(case), charts=None), RenderOptions()))
    jsonschema.validate(bare, SCHEMA)
    assert bare["charts"] is None


@pytest.mark.parametrize("case", CASES[::5])
def test_a_saved_report_gives_the_same_page(case: str) -> None:
    saved = json.loads(json_format.RENDERER(report(case), RenderOptions()))
    assert html.RENDERER(decode(saved), RenderOptions()) == html.RENDERER(
        report(case), RenderOptions()
    )
