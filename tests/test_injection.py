"""Markup, orders and formulas in every name of a log stay text in everything that is written.

A run is put on the disk with the same hostile text as folder, tag, setting, file, message and
checkpoint, read as any other, and shown in every format.
"""

from __future__ import annotations

import csv
import io
import json
import re
import unicodedata
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import html_outline
import numpy as np
import pytest
import yaml
from chromium import Visit, browser
from markdown_it import MarkdownIt

from spikedoc.cli import series, tables
from spikedoc.cli.display import Display
from spikedoc.diagnosis import Diagnosis
from spikedoc.ingest import load_runs
from spikedoc.model.report import Report
from spikedoc.model.run import Run
from spikedoc.pipeline import diagnose
from spikedoc.renderers import brief, html, jsonl, markdown
from spikedoc.renderers import json as json_format
from spikedoc.renderers import text as terminal
from spikedoc.renderers.base import RenderOptions
from spikedoc.rules.loader import load_catalog
from spikedoc.text import Language

# A run of backticks, what it encloses, and a run of the same length.
CODE_SPAN = re.compile(r"(?<![\\`])(`+)(?!`)[^\n]*?(?<!`)\1(?!`)")
PAYLOADS = {
    "script": "</script><script>window.ran=1</script>",
    "image": "<img src=x onerror=window.ran=1>",
    "attribute": "\"'><svg onload=window.ran=1>",
    "comment": "<!-- --><![CDATA[x]]>",
    "ansi": "\x1b[31mred\x1b[0m\x1b]0;title\x07\x9b2J",
    "link": "\x1b]8;;https://evil.example\x1b\\click\x1b]8;;\x1b\\",
    "rich": "[bold red]x[/bold red] [link=https://evil.example]y[/link] [/]",
    "markdown": "![x](https://evil.example/a.png) [y](javascript:alert(1)) **b** `c` | d",
    "mention": "@octocat fixes #12 GH-7",
    "heading": "# h\n\n- [ ] item\n```\nfence\n</details>",
    "formula": "=cmd|' /C calc'!A0",
    "plus": "+1+1",
    "at": "@SUM(1+1)",
    "github": "::error::boom",
    "azure": "##vso[task.setvariable variable=a]b ##[error]x",
    "xml": "\x01\x08\x0b\x0c\x1f]]>&amp;<!ENTITY x>",
    "bidi": "a\u202egnp.exe\u2066\u200b\ufeffb",
    "template": "{{ 7*7 }} {% raw %} {step} {0.__class__} %s $(id) `id`",
    "lines": "a\rb\nc\u2028d\x85e",
}
GITHUB = MarkdownIt("commonmark", {"html": True}).enable("table").enable("strikethrough")
ALLOWED_IN_MARKDOWN = {"details", "summary", "sub"}
ORDER = re.compile(r"^\s*::[a-z]|##\w*\[", re.MULTILINE)
STEPS = 180
SHOWN = Display(format="text", output=Path("x"), language=Language.EN, color="never", width=None)


@dataclass(frozen=True)
class Hostile:
    run: Run
    report: Report
    payload: str


def write_run(folder: Path, payload: str) -> Path:
    """Write a run that fails, with `payload` wherever a log can hold a text."""
    name = payload.replace("/", "∕").replace("\x00", "")[:80]
    run = folder / name
    run.mkdir()
    loss = 2.0 * np.exp(-np.arange(STEPS) / 60) + 0.1
    loss[150:] = np.nan
    rows = [
        {"step": step, "loss": value, payload: value, f"val_{payload}": 1.0, f"grad_{payload}": 0.5}
        for step, value in enumerate(loss.tolist())
    ]
    text = "\n".join(map(json.dumps, rows))
    (run / f"{name}.jsonl").write_text(text, encoding="utf-8")
    settings = {payload: payload, "optimizer": payload, "lr": 0.1, f"x {payload}": [payload]}
    (run / "hparams.yaml").write_text(yaml.safe_dump(settings), encoding="utf-8")
    said = payload.replace("\n", " ").replace("\r", " ")
    lines = [f"step {s} | accuracy {s / STEPS:.3f} | {said} 0.5" for s in range(0, STEPS, 10)]
    lines.insert(5, f"WARNING: overflow at step 50: {said}")
    (run / "train.log").write_text("\n".join(lines), encoding="utf-8", errors="replace")
    for step in (100, 140):
        (run / f"{name}_step_{step}.pt").touch()
    return run


@cache
def hostile(key: str) -> Hostile:
    with TemporaryDirectory() as folder:
        place = write_run(Path(folder), PAYLOADS[key])
        (run,) = load_runs(place)
        return Hostile(run, diagnose(run, load_catalog(None), with_charts=True), PAYLOADS[key])


def unshowable(text: str, allowed: str = "\n") -> set[str]:
    return {
        sign
        for sign in text
        if unicodedata.category(sign) in {"Cc", "Cf", "Cs", "Zl", "Zp"} and sign not in allowed
    }


@pytest.mark.parametrize("key", PAYLOADS)
def test_the_payload_reaches_the_report(key: str) -> None:
    """Else the others would prove nothing."""
    found = hostile(key)
    assert found.report.findings
    held = repr(found.report)
    part = max(re.findall(r"\w+", PAYLOADS[key]), key=len)
    assert part in held


@pytest.mark.parametrize("language", list(Language))
@pytest.mark.parametrize("key", PAYLOADS)
def test_texts_hold_no_control_and_no_order(key: str, language: Language) -> None:
    report = hostile(key).report
    for options in (
        RenderOptions(language, verbose=True),
        RenderOptions(language, unicode=False, width=40),
    ):
        text = terminal.RENDERER(report, options)
        assert not unshowable(text)
        assert not ORDER.search(text)
    coloured = terminal.RENDERER(report, RenderOptions(language, color=True))
    assert not unshowable(re.sub(r"\x1b\[[0-9;]*m", "", coloured))
    if key == "rich":
        assert "[bold red]" in terminal.RENDERER(report, RenderOptions(language, width=400))
    text = brief.RENDERER(report, RenderOptions(language))
    assert not unshowable(text, "\n\N{ZERO WIDTH SPACE}")
    assert not ORDER.search(text)
    assert set(re.findall(r"<(/?\w+)", CODE_SPAN.sub("", text))) == set()
    assert repr(Diagnosis.of(report)).isprintable() or not unshowable(repr(Diagnosis.of(report)))


@pytest.mark.parametrize("language", list(Language))
@pytest.mark.parametrize("key", PAYLOADS)
def test_markdown_shows_names_as_text(key: str, language: Language) -> None:
    for module in (markdown, brief):
        text = module.RENDERER(hostile(key).report, RenderOptions(language))
        assert not unshowable(text, "\n\N{ZERO WIDTH SPACE}")
        assert not ORDER.search(text)
        outside = CODE_SPAN.sub("", text)
        assert not re.search(r"(?<!\w)@\w|(?<![\w&])#\d|GH-\d", outside)
        page = GITHUB.render(text)
        shown = re.sub(r"<code[^>]*>.*?</code>", "", page, flags=re.DOTALL)
        assert set(re.findall(r"<(\w+)", outside)) <= ALLOWED_IN_MARKDOWN
        assert "<a " not in shown
        assert "<img" not in shown
        assert "<h1" not in shown
        assert outside.count("<details>") == outside.count("</details>")


@pytest.mark.parametrize("key", PAYLOADS)
def test_json_is_strict_and_gives_the_names_back(key: str) -> None:
    report = hostile(key).report
    for module in (json_format, jsonl):
        for unicode in (True, False):
            text = module.RENDERER(report, RenderOptions(unicode=unicode))
            assert not unshowable(text)
            assert not ORDER.search(text)
            assert json.loads(text)["run"]["name"] == report.run.name
    assert jsonl.RENDERER(report, RenderOptions()).count("\n") == 1


@pytest.mark.parametrize("key", PAYLOADS)
def test_pages_and_cells_hold_no_element_of_a_log(key: str) -> None:
    report = hostile(key).report
    tree = html_outline.parse(html.RENDERER(report, RenderOptions()))
    plain = html_outline.parse(html.RENDERER(_plain(report), RenderOptions()))
    assert {e.tag for e in tree.walk()} <= {e.tag for e in plain.walk()} | {"code"}
    for element in tree.walk():
        assert not any(name.startswith("on") for name in element.attributes)
        assert not (element.attributes.get("href") or "#").lower().startswith("javascript")
    assert len(tree.all("script")) == len(plain.all("script"))
    cell = Diagnosis.of(report)._repr_html_()
    assert not unshowable(cell)
    found = {e.tag for e in html_outline.parse(cell.replace("</rect>", "")).walk()}
    assert found.isdisjoint({"script", "img", "a", "iframe", "style", "link"})


def _plain(report: Report) -> Report:
    return hostile("plus").report if report.run.name != "+1+1" else hostile("at").report


@pytest.mark.parametrize("shape", [True, False])
@pytest.mark.parametrize("key", PAYLOADS)
def test_tables_hold_no_formula_and_no_order(key: str, *, shape: bool) -> None:
    run = hostile(key).run
    written = "".join(tables.lines(run, tables.CSV, long=shape))
    for text in (written, series.as_csv([run], SHOWN)):
        assert not unshowable(text)
        assert not ORDER.search(text)
        for row in csv.reader(io.StringIO(text)):
            for cell in row:
                assert not re.match(r"[=+@]|-[^\d.i]", cell), cell
    for text in (
        "".join(tables.lines(run, tables.JSONL, long=shape)),
        series.as_json([run], SHOWN),
        series.as_text([run], SHOWN),
    ):
        assert not unshowable(text)
        assert not ORDER.search(text)


def test_nothing_runs_in_a_browser(tmp_path: Path) -> None:
    reports = [hostile(key).report for key in PAYLOADS]
    cells = [Diagnosis.of(report)._repr_html_() for report in reports]
    with browser() as running:
        visit = Visit(running, html.RENDER_ALL(reports, RenderOptions()), tmp_path)
        for language in ("zh", "en"):
            visit.page.click(f"[data-choose-language={language}]")
        visit.page.evaluate(
            "() => document.querySelectorAll('details').forEach((one) => { one.open = true; })"
        )
        for number in range(1, len(reports) + 1):
            visit.page.click(f'[href="#run-{number}"]')
            visit.settle()
        assert visit.page.evaluate("() => window.ran") is None
        assert visit.complaints == []
        assert [url for url in visit.requests if not url.startswith("file:")] == []
        visit.close()
        notebook = Visit(running, "<!DOCTYPE html>" + "".join(cells), tmp_path)
        assert notebook.page.evaluate("() => window.ran") is None
        assert len(notebook.requests) == 1
        notebook.close()
