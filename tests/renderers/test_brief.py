"""The short report: complete where it counts, within its budget, harmless to paste."""

from __future__ import annotations

from dataclasses import replace

import pytest
import report_factory

from spikedoc.model.report import Report
from spikedoc.renderers.base import RenderOptions
from spikedoc.renderers.brief import RENDERER, TOKENS, tokens
from spikedoc.text import Language, Text

REPORTS = [
    report_factory.failing,
    report_factory.healthy,
    report_factory.unknown,
    report_factory.hostile,
]


def render(report: Report, language: Language = Language.EN) -> str:
    return RENDERER(report, RenderOptions(language))


def test_tokens_are_counted_on_the_dear_side() -> None:
    assert tokens("") == 0
    assert tokens("abc") == 1
    assert tokens("abcd") == 2
    assert tokens("损失") == 2


@pytest.mark.parametrize("language", Language)
@pytest.mark.parametrize("make", REPORTS)
def test_within_the_budget(make, language: Language) -> None:
    text = render(make(), language)
    assert tokens(text) <= TOKENS
    assert text.endswith("\n")
    assert not set(text) & set("\x1b\x00\r")


def test_what_a_chat_needs_to_begin_with() -> None:
    report = report_factory.failing()
    text = render(report)
    assert text.startswith("**spikedoc: CRITICAL** ")
    for finding in report.findings:
        assert finding.id in text
    first = min(report.causes, key=lambda cause: cause.rank)
    assert f"1. {first.rule.title.en} (`{first.rule.code}`" in text
    assert "\n   + " in text
    assert "**Where to go back to**" in text
    assert "| ---" not in text


def test_a_long_report_loses_its_end_and_says_so() -> None:
    base = report_factory.failing()
    long = Text("word " * 200, "词" * 900)
    findings = tuple(replace(f, summary=long) for f in base.findings * 3)
    items = tuple(
        replace(item, check=replace(item.check, text=long)) for item in base.checklist * 5
    )
    text = render(replace(base, findings=findings, checklist=items))
    assert tokens(text) <= TOKENS
    assert "Left out to stay short: " in text
    assert text.startswith("**spikedoc: CRITICAL**")


def test_nobody_is_called_and_nothing_is_linked() -> None:
    text = render(report_factory.hostile())
    assert "@everyone" not in text.replace("`", "")
    assert "<script" not in text


def test_a_healthy_run_is_told_in_a_few_lines() -> None:
    text = render(report_factory.healthy())
    assert tokens(text) < 400
    assert "**How to fix it**" not in text


def test_no_folder_names_a_person() -> None:
    base = report_factory.failing()
    report = replace(base, headline=Text("Lost in /home/alice/run", "失败于 /home/alice/run"))
    assert "alice" not in render(report)
