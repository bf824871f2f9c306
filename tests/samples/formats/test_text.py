from __future__ import annotations

from pathlib import Path

import pytest
from samples_factory import write_csv

from spikedoc.renderers._page import width_of
from spikedoc.renderers.base import RenderOptions
from spikedoc.samples.formats.text import FORMAT
from spikedoc.samples.rank import rank
from spikedoc.samples.result import Ranking
from spikedoc.samples.table import read_samples
from spikedoc.text import Language


def ranking(tmp_path: Path, *, bad: bool = True) -> Ranking:
    return rank(read_samples(write_csv(tmp_path / "losses.csv", bad=bad)), "losses.csv")


@pytest.mark.parametrize("width", [40, 80, 200])
@pytest.mark.parametrize("language", list(Language))
def test_no_line_is_wider_than_the_page(tmp_path: Path, width: int, language: Language) -> None:
    text = FORMAT(ranking(tmp_path), RenderOptions(language, width))
    assert not [line for line in text.splitlines() if width_of(line) > width]
    assert "img_0017" in text


def test_badge_table_and_advice_in_this_order(tmp_path: Path) -> None:
    text = FORMAT(ranking(tmp_path), RenderOptions(width=100))
    words = ("LOOK AT THESE", "3 of 320", "sample ", "img_0300.png", "NaN", "img_0017.png",
             "What to look at", "Not finite:", "Stays high:")  # fmt: skip
    places = [text.index(word) for word in words]
    assert places == sorted(places)


def test_a_healthy_table_gets_no_advice(tmp_path: Path) -> None:
    text = FORMAT(ranking(tmp_path, bad=False), RenderOptions(width=100))
    assert "NOTHING STANDS OUT" in text
    assert "What to look at" not in text


def test_an_ascii_console_gets_ascii(tmp_path: Path) -> None:
    assert FORMAT(ranking(tmp_path), RenderOptions(width=80, unicode=False)).isascii()


def test_colour_only_when_asked_for(tmp_path: Path) -> None:
    assert "\x1b[" not in FORMAT(ranking(tmp_path), RenderOptions())
    assert "\x1b[" in FORMAT(ranking(tmp_path), RenderOptions(color=True))
