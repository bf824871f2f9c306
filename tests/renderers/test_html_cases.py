"""What the page of each sample log holds, in both languages: its outline, not its every byte."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest
from html_outline import outline

from spikedoc.model.report import Report
from spikedoc.pipeline import analyze_all
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
