"""Every output of a comparison: what it says, and that nothing from a log acts in it."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from pairs import curve, run, spiked, with_config

from spikedoc.comparison.compare import Options as Told
from spikedoc.comparison.compare import compare
from spikedoc.comparison.formats import json as json_format
from spikedoc.comparison.formats import markdown, text
from spikedoc.comparison.formats.base import Options
from spikedoc.comparison.result import Comparison
from spikedoc.text import Language

EVIL = "::error::\x1b[31mx\u202e|<b>`@all"


def parted() -> Comparison:
    a = run(spiked(curve(1), 300), "first")
    b = with_config(run(curve(2), "second"), lr=0.002, precision="bf16")
    return compare(a, b, Told(replay=True))


def evil() -> Comparison:
    a = replace(with_config(run(spiked(curve(1), 300)), **{EVIL: "a"}), name=EVIL)
    b = replace(with_config(run(curve(2)), **{EVIL: "b"}), name="\r\n::error::y")
    series = replace(b.series[0], tag=EVIL)
    return compare(a, replace(b, series=(series,)), Told(replay=True))


def test_the_answer_comes_first() -> None:
    shown = text.FORMAT(parted(), Options())
    assert shown.startswith(" parted  `loss` spikes in A alone at step 301")
    assert "\nA  first: " in shown
    assert "\nReplay: not reproduced\n" in shown
    assert "\nSettings that differ\n" in shown
    assert "lr         0.001  0.002" in shown
    assert "⠀" in shown or "⠉" in shown or "⣿" in shown


def test_in_chinese() -> None:
    shown = text.FORMAT(parted(), Options(language=Language.ZH))
    assert "已分开" in shown
    assert "重放" in shown
    assert "能证明" in shown
    assert "Proves" not in shown


@pytest.mark.parametrize("width", [40, 60, 80, 100, 200])
@pytest.mark.parametrize("language", Language)
def test_no_line_is_wider_than_asked(width: int, language: Language) -> None:
    from rich.cells import cell_len

    shown = text.FORMAT(parted(), Options(language=language, width=width))
    assert max(cell_len(line) for line in shown.splitlines()) <= width


def test_an_ascii_console_gets_ascii() -> None:
    assert text.FORMAT(parted(), Options(unicode=False)).isascii()


def test_colour_only_when_asked_for() -> None:
    assert "\x1b[" not in text.FORMAT(parted(), Options())
    assert "\x1b[" in text.FORMAT(parted(), Options(color=True))


def test_nothing_from_a_log_acts_in_the_text() -> None:
    shown = text.FORMAT(evil(), Options())
    assert "\x1b" not in shown
    assert "\u202e" not in shown
    assert not any(line.lstrip().startswith("::") for line in shown.splitlines())


def test_markdown_has_tables_and_headings() -> None:
    shown = markdown.FORMAT(parted(), Options())
    assert shown.startswith("## Two runs side by side\n\n**parted** `loss` spikes in A alone")
    assert "\n### Replay: not reproduced\n" in shown
    assert "\n| signal | parts at | level A | level B | B−A in noise | same until |\n" in shown
    assert "\n| lr | 0.001 | 0.002 |\n" in shown


def test_nothing_from_a_log_acts_in_markdown() -> None:
    shown = markdown.FORMAT(evil(), Options())
    assert "<b>" not in shown
    assert "\x1b" not in shown
    assert "@all" not in shown  # a zero-width space stands between
    for line in shown.splitlines():
        assert not line.lstrip().startswith("::")


def test_json_is_one_object() -> None:
    shown = json_format.FORMAT(evil(), Options())
    assert shown.isascii()
    data = json.loads(shown)
    assert data["outcome"] == "parted"
    assert data["a"]["name"] == EVIL
