"""One line per thing that is wrong."""

from __future__ import annotations

from rich.cells import cell_len
from verdict_factory import FAILED, HOSTILE, KNOWN, PASSED, UNKNOWN, ZH, check, render, verdict

from spikedoc.gate.formats.base import Options
from spikedoc.gate.verdict import Outcome
from spikedoc.text import Language


def test_text() -> None:
    assert render("text", PASSED, FAILED).splitlines() == [
        "nightly: FAIL nonfinite/persistent:120 it broke",
        "nightly: likeliest cause SD401, see: spikedoc explain SD401",
        "nightly: ok",
    ]
    assert "失败 nonfinite/persistent:120 it broke。" in render("text", FAILED, options=ZH)
    assert "known" in render("text", KNOWN)
    assert "UNKNOWN" in render("text", UNKNOWN)
    assert "oscillation" in render("text", FAILED, options=Options(Language.EN, verbose=True))


def test_long_lines_are_wrapped_where_a_width_is_given() -> None:
    long = verdict(check(Outcome.FAILED, "it broke " * 20))
    lines = render("text", long, options=Options(Language.EN, width=50)).splitlines()
    assert max(map(len, lines)) <= 50
    assert [line[:4] for line in lines[:2]] == ["nigh", "    "]
    chinese = verdict(check(Outcome.FAILED, "损失变为无穷大" * 20))
    lines = render("text", chinese, options=Options(Language.ZH, width=50)).splitlines()
    assert max(map(cell_len, lines)) <= 50


def test_colour_and_ascii() -> None:
    shown = Options(Language.EN, color=True)
    assert render("text", FAILED, options=shown).startswith(
        "nightly: \x1b[31mFAIL\x1b[0m nonfinite"
    )
    hostile = verdict(check(Outcome.FAILED, HOSTILE), run=HOSTILE)
    assert "\x1b[31m\n" not in render("text", hostile, options=shown)
    plain = Options(Language.EN, unicode=False)
    dash = verdict(check(Outcome.FAILED, "1 – 2 ≥ 3"))
    assert "1 - 2 >= 3" in render("text", dash, options=plain)
