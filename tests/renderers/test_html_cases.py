"""What the page of each sample log holds, in both languages: its outline, not its every byte."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest
from html_outline import outline

from spikedoc.model.codec import decode
from spikedoc.model.report import Report
from spikedoc.pipeline import analyze_all
from spikedoc.renderers import json as json_format
from spikedoc.renderers.base import RenderOptions
from spikedoc.renderers.html import RENDERER
from spikedoc.text import Language

SAMPLES = Path(__file__).parents[2] / "sample_logs"
CASES = sorted(file.parent.name for file in SAMPLES.glob("*/case.toml"))


@cache
def report(case: str) -> Report:
    (found,) = analyze_all(SAMPLES / case / "run", with_charts=True)
    return found


@pytest.mark.parametrize("language", list(Language))
@pytest.mark.parametrize("case", CASES)
def test_golden(case: str, language: Language, golden: Callable[[str, str], None]) -> None:
    page = RENDERER(report(case), RenderOptions(language))
    golden(f"html-{case}.{language.value}.txt", outline(page, language.value))


@pytest.mark.parametrize("case", ["broken_image_periodic", "nan_in_loss_log0", "healthy_resume"])
def test_a_saved_report_gives_the_same_page(case: str) -> None:
    saved = json.loads(json_format.RENDERER(report(case), RenderOptions()))
    assert RENDERER(decode(saved), RenderOptions()) == RENDERER(report(case), RenderOptions())
