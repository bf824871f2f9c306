from __future__ import annotations

from dataclasses import replace

import pytest
from sweep_factory import HOSTILE, compared, healthy

from spikedoc.renderers._page import width_of
from spikedoc.renderers.base import RenderOptions
from spikedoc.sweep.compare import compare
from spikedoc.sweep.formats.text import FORMAT
from spikedoc.sweep.result import Comparison
from spikedoc.text import Language


@pytest.mark.parametrize("name", ["lr", "bad_batch", "range_test"])
@pytest.mark.parametrize("width", [40, 80, 200])
@pytest.mark.parametrize("language", list(Language))
def test_no_line_is_wider_than_the_page(name: str, width: int, language: Language) -> None:
    text = FORMAT(compared(name), RenderOptions(language, width))
    assert text.endswith("\n")
    too_wide = [line for line in text.splitlines() if width_of(line) > width]
    assert not too_wide


def test_proposal_curve_table_and_notes_in_this_order() -> None:
    text = FORMAT(compared("lr"), RenderOptions(width=100))
    places = [text.index(word) for word in ("PROPOSED", "Use 0.03", "●", "Runs", "> 0.03", "Notes")]
    assert places == sorted(places)


def test_an_ascii_console_gets_ascii() -> None:
    text = FORMAT(compared("lr"), RenderOptions(width=80, unicode=False))
    assert text.isascii()
    assert "x diverging" in text


def test_colour_only_when_asked_for() -> None:
    assert "\x1b[" not in FORMAT(compared("lr"), RenderOptions())
    assert "\x1b[" in FORMAT(compared("lr"), RenderOptions(color=True))


def test_range_tests_and_shared_places() -> None:
    both = Comparison(
        range_tests=compared("range_test").range_tests,
        coincidences=compared("bad_batch").coincidences,
    )
    text = FORMAT(both, RenderOptions())
    assert "Range test" in text
    assert "• Step 83 spikes in 3 of 3 runs" in text


def test_hostile_names_stay_text() -> None:
    runs = [
        (replace(run, name=f"{HOSTILE}{i}", config={HOSTILE: f"{HOSTILE}{i}"}), report)
        for i, (run, report) in enumerate(healthy([(0.1, 1.0), (0.2, 1.0), (0.3, 1.0)]))
    ]
    text = FORMAT(compare(runs), RenderOptions())
    assert "\x1b" not in text
    assert "\u202e" not in text
    assert not any(line.lstrip().startswith("::") for line in text.splitlines())
