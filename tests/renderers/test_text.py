from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace

import pytest
import report_factory
from rich.cells import cell_len

from spikedoc.model.label import Severity
from spikedoc.model.report import Plot, Report
from spikedoc.renderers.base import RenderOptions
from spikedoc.renderers.text import RENDERER
from spikedoc.text import Language, Text

ESCAPE = re.compile(r"\x1b\[[0-9;]*m")
LANGUAGES = list(Language)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("case", report_factory.ALL)
def test_golden(case: str, language: Language, golden: Callable[[str, str], None]) -> None:
    text = RENDERER(report_factory.ALL[case](), RenderOptions(language, width=100))
    golden(f"{case}.{language.value}.txt", text)


def test_golden_ascii_and_verbose(golden: Callable[[str, str], None]) -> None:
    options = RenderOptions(width=80, unicode=False, verbose=True)
    text = RENDERER(report_factory.failing(), options)
    assert text.isascii()
    golden("failing.ascii.txt", text)


def test_chinese_asides_stand_in_full_width_marks() -> None:
    text = RENDERER(report_factory.failing(), RenderOptions(Language.ZH, width=400, verbose=True))
    assert "？（未记录：" in text
    assert not re.search(r"[\u4e00-\u9fff？] ?\([\u4e00-\u9fff]", text)


@pytest.mark.parametrize("width", [10, 40, 80, 120, 200, 1000])
@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("case", [*report_factory.ALL, "hostile"])
def test_no_line_is_wider_than_the_console(case: str, language: Language, width: int) -> None:
    report = getattr(report_factory, case)()
    text = RENDERER(report, RenderOptions(language, width=width, verbose=True))
    limit = min(max(width, 40), 200)
    assert max(cell_len(line) for line in text.splitlines()) <= limit


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_verdict_is_in_the_first_two_lines(language: Language) -> None:
    first, second = RENDERER(
        report_factory.failing(), RenderOptions(language, width=80)
    ).splitlines()[:2]
    assert ("CRITICAL" if language is Language.EN else "严重") in first
    assert "12400" in first
    assert "SD401" in second


def test_colour_adds_nothing_but_colour() -> None:
    report = report_factory.failing()
    plain = RENDERER(report, RenderOptions(width=90))
    coloured = RENDERER(report, RenderOptions(width=90, color=True))
    assert "\x1b" not in plain
    assert ESCAPE.search(coloured)
    assert ESCAPE.sub("", coloured) == plain


def test_the_environment_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    report = report_factory.healthy()
    plain, coloured = (RENDERER(report, RenderOptions(color=color)) for color in (False, True))
    for name, value in (
        ("NO_COLOR", "1"),
        ("FORCE_COLOR", "1"),
        ("COLUMNS", "33"),
        ("TERM", "dumb"),
    ):
        monkeypatch.setenv(name, value)
    assert RENDERER(report, RenderOptions(color=False)) == plain
    assert RENDERER(report, RenderOptions(color=True)) == coloured


def test_names_from_the_log_cannot_act() -> None:
    for color in (False, True):
        text = RENDERER(report_factory.hostile(), RenderOptions(color=color, verbose=True))
        left = ESCAPE.sub("", text)
        assert "\x1b" not in left
        assert "\x07" not in left
        assert "\u202e" not in left
        assert "[bold]x[/bold]" in left


def test_a_healthy_report_is_short() -> None:
    assert RENDERER(report_factory.healthy(), RenderOptions(width=100)).count("\n") <= 30
    assert RENDERER(report_factory.unknown(), RenderOptions(width=100)).count("\n") <= 8


def _lane(text: str, label: str) -> str:
    return next(line for line in text.splitlines() if line.strip().startswith(f"{label} "))


def test_findings_and_nans_are_marked_without_colour() -> None:
    text = RENDERER(report_factory.failing(), RenderOptions(width=100))
    assert _lane(text, "NaN").endswith("××××")
    assert _lane(text, "F1").endswith("━━━━")
    assert "↑" in _lane(text, "resume")
    ascii_text = RENDERER(report_factory.failing(), RenderOptions(width=100, unicode=False))
    assert _lane(ascii_text, "NaN").endswith("xxxx")


def test_many_findings_share_a_lane_per_severity() -> None:
    base = report_factory.failing()
    spike = base.findings[2].anomaly
    steps = (2000, 4000, 6000)
    more = tuple(
        replace(
            base.findings[2],
            anomaly=replace(
                spike, severity=Severity.WARNING, start_step=s, peak_step=s, end_step=s
            ),
        )
        for s in steps
    )
    text = RENDERER(replace(base, findings=base.findings + more), RenderOptions(width=100))
    lane = _lane(text, "warning")
    assert lane.count("▲") == 3
    assert lane.endswith("━━")
    assert _lane(text, "critical").endswith("━━━━")


def test_default_tells_three_causes_and_names_the_others() -> None:
    text = RENDERER(report_factory.failing(), RenderOptions(width=100))
    assert text.count("     ? ") == 3
    assert "The learning rate is too high" in text
    assert "Rounding of BF16" in text
    assert "Did the size of the parameter update jump as well?" not in text
    verbose = RENDERER(report_factory.failing(), RenderOptions(width=100, verbose=True))
    assert "Did the size of the parameter update jump as well?" in verbose


def test_a_fix_shared_by_causes_is_told_once() -> None:
    text = RENDERER(report_factory.failing(), RenderOptions(width=100))
    assert text.count("Clip the gradient norm at 1.37") == 1
    assert "[SD401, SD205]" in text


def test_long_lists_are_cut_and_counted() -> None:
    base = report_factory.failing()
    many = replace(
        base,
        findings=base.findings * 10,
        causes=tuple(replace(base.causes[0], rank=i + 1) for i in range(30)),
        checklist=base.checklist * 10,
        notes=tuple(Text(f"note {i}", f"说明 {i}") for i in range(40)),
    )
    text = RENDERER(many, RenderOptions(width=100))
    assert "24 more findings" in text
    assert "21 more causes" in text
    assert "34 more checks" in text
    assert "36 more" in text
    verbose = RENDERER(many, RenderOptions(width=100, verbose=True))
    assert not re.search(r"\d+ more", verbose)


def test_a_plot_that_cannot_be_drawn_is_left_out() -> None:
    report: Report = replace(report_factory.failing(), plot=Plot("loss", (1.0,), (1.0,), log=True))
    assert "log axis" not in RENDERER(report, RenderOptions())
