from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spikedoc.cleaning import ascii_spelling, lines, name, one_line, shorten


@pytest.mark.parametrize(
    ("raw", "clean"),
    [
        ("\x1b[31mred\x1b[0m", "red"),
        ("\x1b]0;title\x07tail", "tail"),
        ("\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\", "link"),
        ("\x9b31mred", "red"),
        ("a\x1b(Bb", "ab"),
        ("cut\x1b[", "cut"),
        ("cut\x1b", "cut"),
        ("a\nb\tc\r\nd", "a b c d"),
        ("a\u202egnp.exe\u2066x\u200b", "agnp.exex"),
        ("bad\udc80name", "bad\ufffdname"),
        ("a\x00\x07b\x7f", "ab"),
        ("  学习率  ", "学习率"),
        ("a\u2028b", "a b"),
    ],
)
def test_one_line(raw: str, clean: str) -> None:
    assert one_line(raw) == clean


@given(st.text(alphabet=st.characters()))
def test_nothing_that_acts_is_left(text: str) -> None:
    shown = one_line(text)
    kinds = {unicodedata.category(sign) for sign in shown}
    assert not kinds & {"Cc", "Cf", "Cs", "Zl", "Zp"}
    assert shown == shown.strip()
    shown.encode("utf-8")


def test_long_names_keep_both_ends() -> None:
    text = "a" * 200 + "end"
    assert len(name(text)) == 80
    assert name(text).endswith("end")
    assert shorten("abcdefg", 5) == "ab…fg"
    assert shorten("abcde", 5) == "abcde"


def test_a_name_is_never_empty() -> None:
    assert name("\x00") == "?"


def test_lines_leave_out_empty_ones() -> None:
    assert lines("one\n\n two \x1b[1mbold\x1b[0m\n") == ["one", "two bold"]


def test_ascii_spelling_keeps_chinese() -> None:
    assert ascii_spelling("β ≥ 0.9 – 学习率 → lr · x") == "beta >= 0.9 - 学习率 -> lr | x"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("::error::x", ": :error::x"),
        ("saw ::stop-commands::x", "saw : :stop-commands::x"),
        ("##[error]x", "## [error]x"),
        ("a ##vso[task.setvariable]x", "a ##vso [task.setvariable]x"),
        ("std::mean", "std::mean"),
        ("val_metric:val/acc", "val_metric:val/acc"),
        ("## [x]", "## [x]"),
        ("::", "::"),
    ],
)
def test_a_ci_system_finds_no_order(text: str, shown: str) -> None:
    assert one_line(text) == shown
