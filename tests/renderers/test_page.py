from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from spikedoc.renderers._page import Page, code_spans, wrap


def texts(spans: list[tuple[str, str]], width: int) -> list[str]:
    return ["".join(text for text, _ in line) for line in wrap(spans, width)]


def test_english_breaks_at_spaces() -> None:
    assert texts([("the loss became NaN", "")], 10) == ["the loss", "became NaN"]


def test_chinese_breaks_between_signs_but_not_before_a_full_stop() -> None:
    assert texts([("损失变为非数值。", "")], 8) == ["损失变为", "非数值。"]
    assert texts([("损失变为非数值。", "")], 14) == ["损失变为非数", "值。"]


def test_chinese_does_not_break_after_an_opening_bracket() -> None:
    assert texts([("看损失（很高）吧", "")], 8) == ["看损失", "（很高）", "吧"]


def test_mixed_text_keeps_words_whole() -> None:
    assert texts([("调小 learning rate 再试", "")], 14) == ["调小 learning", "rate 再试"]


def test_a_word_longer_than_the_line_is_cut() -> None:
    assert texts([("a" * 25, "")], 10) == ["a" * 10, "a" * 10, "a" * 5]


@given(
    st.text(alphabet="ab 损失，。（）(),`", max_size=60),
    st.integers(4, 30),
)
def test_wrapping_loses_nothing_and_stays_inside(text: str, width: int) -> None:
    lines = texts([(text, "")], width)
    assert "".join(lines).replace(" ", "") == text.replace(" ", "")
    assert all(cell_len(line) <= width for line in lines)


def test_styles_follow_their_text() -> None:
    lines = wrap([("see ", ""), ("`lr`", "code"), (" now", "")], 40)
    assert lines == [[("see ", ""), ("`lr`", "code"), (" now", "")]]


@pytest.mark.parametrize(
    ("text", "spans"),
    [
        ("a `b` c", [("a ", ""), ("`b`", "code"), (" c", "")]),
        ("a ` b", [("a ` b", "")]),
        ("plain", [("plain", "")]),
    ],
)
def test_code_spans(text: str, spans: list[tuple[str, str]]) -> None:
    assert code_spans(text) == spans


def test_page_hangs_under_the_first_words_and_has_no_spaces_at_line_ends() -> None:
    page = Page(20, color=False, unicode=True)
    page.add(("one two three four five", ""), first=[("  - ", "")])
    page.raw(("x   ", "strong"), ("   ", ""))
    assert page.text() == "  - one two three\n    four five\nx\n"


def test_markup_of_rich_means_nothing() -> None:
    page = Page(60, color=True, unicode=True)
    page.raw(("[bold red]x[/] :smile:", ""))
    assert page.text() == "[bold red]x[/] :smile:\n"


@pytest.mark.parametrize("text", ["::error::x", "  ::set-output name=a::b"])
def test_a_name_is_no_order_to_a_ci_job(text: str) -> None:
    page = Page(60, color=False, unicode=True)
    page.add((text, ""))
    assert not page.text().lstrip().startswith("::")
    assert "error:" in page.text() or "set-output" in page.text()
