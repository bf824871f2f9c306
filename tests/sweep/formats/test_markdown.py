from __future__ import annotations

from dataclasses import replace

import pytest
from sweep_factory import HOSTILE, compared, healthy

from spikedoc.renderers.base import RenderOptions
from spikedoc.sweep.compare import compare
from spikedoc.sweep.formats.markdown import FORMAT
from spikedoc.text import Language


def test_a_table_with_the_chosen_value_in_bold() -> None:
    text = FORMAT(compared("lr"), RenderOptions())
    assert "**PROPOSED** – Use 0.03: " in text
    assert "| 0.0001 | too slow | 2.284 | 2.22 - 2.35 | 2 |  |" in text
    assert "| **0.03** | steady | " in text


@pytest.mark.parametrize("name", ["lr", "bad_batch", "range_test"])
def test_both_languages(name: str) -> None:
    english = FORMAT(compared(name), RenderOptions(Language.EN))
    chinese = FORMAT(compared(name), RenderOptions(Language.ZH))
    assert english != chinese
    assert english.count("\n|") == chinese.count("\n|")


def test_hostile_names_make_no_markup() -> None:
    runs = [
        (replace(run, name=f"{HOSTILE}{i}", config={HOSTILE: f"{HOSTILE}{i}"}), report)
        for i, (run, report) in enumerate(healthy([(0.1, 1.0), (0.2, 1.0), (0.3, 1.0)]))
    ]
    text = FORMAT(compare(runs), RenderOptions())
    assert "<b>" not in text
    assert "@all" not in text
    assert "\x1b" not in text
    columns = {line.replace(r"\|", "").count("|") for line in text.splitlines() if line[:1] == "|"}
    assert len(columns) == 1
