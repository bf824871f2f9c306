"""Names from a log that a spreadsheet program must not run."""

from __future__ import annotations

import csv
import io
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spikedoc.cli.spreadsheet import text_cell


@pytest.mark.parametrize(
    ("text", "cell"),
    [
        ("loss", "loss"),
        ("=1+1", "'=1+1"),
        ("+a", "'+a"),
        ("-a", "'-a"),
        ("@SUM(A1)", "'@SUM(A1)"),
        ('=HYPERLINK("x","y")', '"\'=HYPERLINK(""x"",""y"")"'),
        ("\t=a", "\\t=a"),
        ("\x1b]0;title\x07loss", "\\x1b]0;title\\x07loss"),
        ("a\x7f\x9bb", "a\\x7f\\x9bb"),
        ("\u202eessol", "\\u202eessol"),
        ("损失 é", "损失 é"),
        ("a,b", '"a,b"'),
        ("a\r\nb", "a b"),
        ("a\x00b", "ab"),
        ("", ""),
    ],
)
def test_cells_are_text_for_spreadsheets(text: str, cell: str) -> None:
    assert text_cell(text) == cell


@given(st.text(max_size=40))
def test_any_name_is_one_cell_and_no_formula(text: str) -> None:
    (row,) = csv.reader(io.StringIO(text_cell(text) + ",end\n", newline=""))
    assert row[-1] == "end"
    assert len(row) == 2
    assert not any(unicodedata.category(sign).startswith("C") for sign in row[0] if ord(sign) < 888)
    assert not row[0].startswith(("=", "+", "-", "@", "\t", "\r"))


def test_a_ci_system_finds_no_order() -> None:
    assert text_cell("::error::x") == "'::error::x"
    assert text_cell("a ##[error]x") == "a ##\\x5berror]x"
    assert text_cell("std::mean") == "std::mean"
