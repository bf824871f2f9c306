"""Filling sentences with numbers: readable, and harmless whatever a log holds."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spikedoc.text import Language, Text, format_value, listed, rounded


def english(template: str, **values: float | str) -> str:
    return Text(template, "").fill(values).en


def test_each_language_has_its_wording() -> None:
    text = Text("loss", "损失")
    assert text.get(Language.EN) == "loss"
    assert text.get(Language.ZH) == "损失"


def test_both_languages_are_filled() -> None:
    found = Text("step {step}", "第 {step} 步").fill({"step": 1200})
    assert found == Text("step 1200", "第 1200 步")


@pytest.mark.parametrize(
    ("template", "filled"),
    [
        ("{a}", "7"),
        ("{a}{a}", "77"),
        ("{a} and {b}", "7 and {b}"),
        ("{a.__class__}", "{a.__class__}"),
        ("{a[0]}", "{a[0]}"),
        ("{a!r}", "{a!r}"),
        ("{a:>9}", "{a:>9}"),
        ("{", "{"),
        ("}", "}"),
        ("{a", "{a"),
        ("{}", "{}"),
        ("{a} {a|point|points}", "7 points"),
        ("{a|point}", "{a|point}"),
        ("{a|x|y|z} {b|x|y}", "{a|x|y|z} {b|x|y}"),
        ("{{a}}", "{7}"),
        ("a} {a}", "a} 7"),
        ("", ""),
    ],
)
def test_only_plain_known_names_are_replaced(template: str, filled: str) -> None:
    assert english(template, a=7) == filled


@pytest.mark.parametrize(("value", "said"), [(1, "1 step"), (1.0, "1 step"), (0, "0 steps")])
def test_one_of_a_thing_has_its_word(value: float, said: str) -> None:
    assert english("{n} {n|step|steps}", n=value) == said


def test_a_value_is_not_filled_again() -> None:
    assert english("{a} {b}", a="{b}", b="{a}") == "{b} {a}"


@pytest.mark.parametrize(
    ("names", "most", "en", "zh"),
    [
        ([], None, "", ""),
        (["loss"], None, "loss", "loss"),
        (["loss", "lr"], None, "loss, lr", "loss、lr"),
        (["loss", "lr"], 2, "loss, lr", "loss、lr"),
        (["loss", "lr", "grad"], 2, "loss, lr …", "loss、lr …"),
    ],
)
def test_names_side_by_side(names: list[str], most: int | None, en: str, zh: str) -> None:
    assert listed(iter(names), most) == Text(en, zh)


@given(st.text(), st.dictionaries(st.text(max_size=5), st.text() | st.floats() | st.integers()))
def test_no_template_and_no_value_raises(template: str, values: dict[str, float | str]) -> None:
    assert isinstance(Text(template, template).fill(values).zh, str)


@pytest.mark.parametrize(
    ("value", "written"),
    [
        (3, "3"), (-12, "-12"), (10**20, "1" + "0" * 20), (0.0, "0"), (-0.0, "0"),
        (1.0, "1"), (65536.0, "65536"), (1234567.0, "1234567"), (1e7, "1e+07"), (1e300, "1e+300"),
        (2.302585, "2.303"), (0.1, "0.1"), (0.00012347, "0.0001235"), (1e-8, "1e-08"),
        (123456.7, "123500"), (22345.6, "22350"), (-99999.6, "-100000"), (9999994.0, "9999994"),
        (9999994.4, "1e+07"), (12345678.9, "1.235e+07"), (-2.5, "-2.5"), (5e-324, "4.941e-324"),
        (math.nan, "NaN"), (math.inf, "inf"), (-math.inf, "-inf"),
        ("AdamW", "AdamW"), ("", ""), (True, "True"),
    ],
)  # fmt: skip
def test_numbers_are_written_as_an_engineer_writes_them(value: float | str, written: str) -> None:
    assert format_value(value) == written


@given(st.floats(-1e300, 1e300))
def test_a_written_number_reads_back_to_four_digits(value: float) -> None:
    assert float(format_value(value)) == pytest.approx(value, rel=1e-3, abs=0.0)


@pytest.mark.parametrize(
    ("value", "digits", "short"),
    [(0.0123456, 3, 0.0123), (-98765.0, 2, -99000.0), (1.7976931348623157e308, 5, None)],
)
def test_significant_digits(value: float, digits: int, short: float | None) -> None:
    assert rounded(value, digits) == (value if short is None else short)


@given(st.floats(allow_nan=False), st.integers(1, 17))
def test_what_is_finite_stays_so(value: float, digits: int) -> None:
    assert math.isfinite(rounded(value, digits)) == math.isfinite(value)
    assert math.isnan(rounded(math.nan, digits))
