"""The paragraph on shared places."""

from __future__ import annotations

from dataclasses import replace

from sweep_factory import HOSTILE, compared

from spikedoc.coincidence.section import as_text, in_markdown
from spikedoc.renderers.base import RenderOptions
from spikedoc.text import Language, Text

FOUND = compared("bad_batch").coincidences


def test_nothing_found_nothing_said() -> None:
    assert as_text((), RenderOptions()) == ""
    assert in_markdown((), Language.EN) == ""


def test_as_text_in_both_languages() -> None:
    english = as_text(FOUND, RenderOptions(language=Language.EN))
    chinese = as_text(FOUND, RenderOptions(language=Language.ZH))
    assert english.startswith("The same place in several runs\n  • Step 83 spikes in 3 of 3 runs")
    assert chinese.startswith("多次训练的同一处\n  • 第 83 步在 3 次训练中的 3 次出现尖峰")


def test_in_markdown() -> None:
    text = in_markdown(FOUND, Language.EN)
    assert text.startswith("### The same place in several runs\n\n- Step 83 spikes in 3 of 3 runs")


def test_signs_from_logs_are_made_safe() -> None:
    hostile = (replace(FOUND[0], text=Text(HOSTILE, HOSTILE)),)
    for text in (as_text(hostile, RenderOptions()), in_markdown(hostile, Language.EN)):
        assert "\x1b" not in text
        assert "\n::" not in text
    assert "<b>" not in in_markdown(hostile, Language.EN)
