"""The report in Python: shown in a cell, as text, as a table, saved and loaded."""

from __future__ import annotations

import json
import math
import re
import subprocess
import sys
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
import report_factory

import spikedoc
from spikedoc.diagnosis import CAUSE_COLUMNS, FINDING_COLUMNS, Diagnosis, load
from spikedoc.errors import ReportError, UsageError
from spikedoc.model.report import Plot, Report
from spikedoc.renderers import html, markdown
from spikedoc.renderers.base import RenderOptions
from spikedoc.text import Language

ROOT = Path(__file__).parents[1]
# An element, an attribute or an address that could do something in a notebook.
ACTIVE = re.compile(
    r"<(?:script|iframe|object|embed|form|link|style|img)\b|\son\w+=|javascript:|url\("
)


class Balance(HTMLParser):
    """Fails on an element that is not closed in order, and collects what is shown."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: set[str] = set()
        self.text: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        if tag not in ("br", "rect", "path"):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag not in ("br", "rect", "path"):
            assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text.append(data)


def read(cell: str) -> Balance:
    seen = Balance()
    seen.feed(cell)
    seen.close()
    assert seen.open == []
    return seen


def made(case: str = "failing") -> Diagnosis:
    return Diagnosis.of(report_factory.ALL[case]())


def test_it_is_the_report_it_was_made_of() -> None:
    report = report_factory.failing()
    one = Diagnosis.of(report)
    assert isinstance(one, Report)
    for name in ("status", "causes", "findings", "run", "charts"):
        assert getattr(one, name) is getattr(report, name)
    assert Diagnosis.of(one) is one


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("case", report_factory.ALL)
def test_a_cell_is_small_whole_and_does_nothing(case: str, language: str) -> None:
    one = made(case).in_language(language)
    cell = one._repr_html_()
    seen = read(cell)
    assert not ACTIVE.search(cell)
    assert len(cell.encode()) < 32_000
    shown = "".join(seen.text)
    assert one.headline.get(Language(language)) in shown
    assert seen.tags <= {
        *("div", "p", "span", "strong", "table", "tr", "td", "br", "code", "details", "summary"),
        *("ol", "ul", "li", "svg", "rect", "path", "tbody"),
    }


def test_a_cell_says_what_it_leaves_out_and_what_speaks_for_a_cause() -> None:
    shown = "".join(read(made().in_language("en")._repr_html_()).text)
    cause = made().causes[0]
    assert cause.rule.code in shown
    assert f"{cause.score:.2f}" in shown
    assert "What to check, in this order" in shown
    assert "How to fix it" in shown
    assert "Where to go back to" in shown


def test_hostile_names_stay_text_in_a_cell() -> None:
    report = Diagnosis.of(report_factory.hostile())
    for language in ("en", "zh"):
        cell = report.in_language(language)._repr_html_()
        read(cell)
        assert not ACTIVE.search(re.sub(r"&lt;.*?&gt;", "", cell))
        assert "\x1b" not in cell
        assert "\u202e" not in cell
        assert "/home/" not in cell


@pytest.mark.parametrize(
    ("steps", "values", "log"),
    [
        ((), (), False),
        ((1.0,), (2.0,), True),
        ((1.0, 2.0, 3.0), (math.nan, math.inf, -math.inf), False),
        ((1.0, 2.0, 3.0), (0.0, -1.0, 0.0), True),
        ((1.0, 2.0, 3.0), (1e308, -1e308, 0.0), False),
        ((1.0, 2.0, 3.0), (5.0, 5.0, 5.0), True),
        ((2.0, 2.0, 2.0), (1.0, 5.0, 2.0), False),
    ],
)
def test_any_curve_makes_a_cell(
    steps: tuple[float, ...], values: tuple[float, ...], log: bool
) -> None:
    cell = replace(made(), plot=Plot("loss", steps, values, log))._repr_html_()
    read(cell)
    assert not re.search(r"\b(?:nan|inf)\b", "".join(re.findall(r' d="([^"]*)"', cell)))


def test_the_language_is_that_of_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    one = made()
    assert one.headline.en in one._repr_html_()
    monkeypatch.setenv("SPIKEDOC_LANG", "zh")
    assert one.headline.zh in one._repr_html_()
    assert one.headline.en in one.in_language("en").to_text(width=400)
    with pytest.raises(UsageError, match="no language 'fr': en or zh"):
        one.in_language("fr")


def test_what_it_says_of_itself_is_one_line() -> None:
    assert repr(made()).startswith("<Diagnosis of gpt-small-fp16: critical: ")
    assert "SD401" in repr(made())
    assert "\n" not in repr(Diagnosis.of(report_factory.hostile()))
    assert "\x1b" not in repr(Diagnosis.of(report_factory.hostile()))
    assert made().headline.en[:40] in str(made())


def test_the_formats_are_those_of_the_command_line() -> None:
    one, options = made(), RenderOptions(Language.ZH)
    assert one.to_markdown("zh") == markdown.RENDERER(report_factory.failing(), options)
    assert one._repr_markdown_() == one.to_markdown()
    assert one.to_html("zh") == html.RENDERER(report_factory.failing(), options)
    assert json.loads(one.to_json()) == one.to_dict()
    assert one.to_json(indent=None).count("\n") == 0


@pytest.mark.parametrize("suffix", [".html", ".md", ".json", ".txt", ".JSON"])
def test_saving_goes_by_the_suffix(suffix: str, tmp_path: Path) -> None:
    path = tmp_path / f"report{suffix}"
    assert made().save(path, "zh") == path
    text = path.read_text(encoding="utf-8")
    assert {
        ".html": "<!DOCTYPE html",
        ".md": "## spikedoc 诊断",
        ".json": "{\n",
        ".txt": " 严重",
    }[suffix.lower()] in text[:40]
    assert text.endswith("\n")


def test_what_cannot_be_saved_is_said_in_one_line(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"suffix must be one of \.html, \.md, \.json, \.txt"):
        made().save(tmp_path / "report.pdf")
    with pytest.raises(UsageError, match=r"cannot write .*: No such file"):
        made().save(tmp_path / "none/report.md")


def test_a_saved_report_is_loaded_again(tmp_path: Path) -> None:
    path = made().save(tmp_path / "one.json")
    again = load(path)
    assert again.to_dict() == made().to_dict()
    assert isinstance(spikedoc.load(str(path)), Diagnosis)
    (tmp_path / "two.json").write_text("{}")
    (tmp_path / "three.json").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(ReportError, match=r"two\.json: not a report"):
        load(tmp_path / "two.json")
    with pytest.raises(ReportError, match="not UTF-8"):
        load(tmp_path / "three.json")
    with pytest.raises(UsageError, match="cannot read"):
        load(tmp_path / "four.json")


def test_findings_and_causes_as_tables() -> None:
    pandas = pytest.importorskip("pandas")
    one = made().in_language("en")
    frame, causes = one.to_frame(), one.causes_to_frame("zh")
    assert isinstance(frame, pandas.DataFrame)
    assert list(frame.columns) == list(FINDING_COLUMNS)
    assert frame["id"].tolist() == [finding.id for finding in one.findings]
    assert frame["summary"].tolist() == [finding.summary.en for finding in one.findings]
    assert frame["start_step"].dtype.kind == "i"
    assert list(causes.columns) == list(CAUSE_COLUMNS)
    assert causes["rule"].tolist() == [cause.rule.code for cause in one.causes]
    assert causes["title"].tolist() == [cause.rule.title.zh for cause in one.causes]
    assert list(made("unknown").to_frame().columns) == list(FINDING_COLUMNS)


def test_a_page_saved_from_python_has_all_curves(tmp_path: Path) -> None:
    report = spikedoc.analyze(ROOT / "sample_logs/healthy_resume")
    assert report.charts is not None
    assert len(report.charts.curves) > 1
    page = report.save(tmp_path / "page.html").read_text(encoding="utf-8")
    saved = load(report.save(tmp_path / "report.json"))
    assert saved.save(tmp_path / "again.html").read_text(encoding="utf-8") == page


def test_nothing_is_printed() -> None:
    code = (
        "import spikedoc; r = spikedoc.analyze('sample_logs/healthy_resume'); "
        "r._repr_html_(); r.to_markdown(); r.to_frame()"
    )
    done: Any = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert (done.stdout, done.stderr) == ("", "")
