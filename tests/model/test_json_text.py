"""The quick way of writing the curve gives what json itself writes."""

from __future__ import annotations

import json

import pytest

from spikedoc.model.json_text import write

CURVES = (
    {"steps": [0.0, 1e20, 2.5], "values": [1.0, "nan", -1e-300], "log": True},
    {"steps": [7.0], "values": ["-inf"], "signal": 'curve "steps", "curve values"'},
    {"steps": [], "values": []},
    None,
)


@pytest.mark.parametrize("plot", CURVES)
@pytest.mark.parametrize("indent", [None, 0, 1, 2, 7])
def test_the_text_is_that_of_json(plot: object, indent: int | None) -> None:
    data = {"name": "curve steps", "notes": ["损失", "curve values"], "plot": plot}
    for ascii_only in (False, True):
        expected = json.dumps(data, indent=indent, ensure_ascii=ascii_only)
        assert write(data, indent=indent, ascii_only=ascii_only) == expected


def test_control_characters_are_written_out() -> None:
    text = write({"name": "a\x9bb\x7f", "plot": None}, indent=2, ascii_only=False)
    assert text.isprintable() or "\n" in text
    assert "\\u009b" in text
    assert "\\u007f" in text
    assert json.loads(text)["name"] == "a\x9bb\x7f"


def test_what_is_no_number_is_refused() -> None:
    for plot in (None, {"steps": [float("nan")], "values": []}):
        with pytest.raises(ValueError, match="JSON"):
            write({"value": float("inf"), "plot": plot}, indent=2, ascii_only=False)


def test_no_order_and_no_turn_of_direction_stands_in_the_open() -> None:
    held = {"plot": None, "name": "##[error]x ##vso[a] a\u202eb\u200b #[ok]"}
    text = write(held, indent=2, ascii_only=False)
    assert "##[" not in text
    assert "##vso[" not in text
    assert not set(text) & {"\u202e", "\u200b"}
    assert json.loads(text) == held
