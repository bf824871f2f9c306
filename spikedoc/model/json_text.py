"""JSON-ready data of a result as text: strict, without control characters, fast when indented."""

from __future__ import annotations

import json
import re
from typing import Any, Final

# Stands for the numbers of the curve until the rest is written: nothing comes after them.
_PLACE: Final = "curve "
# What JSON allows in the open and some terminals obey: DEL, the C1 controls, signs that turn the
# direction of writing or show nothing.
_CODES: Final = (
    *range(0x7F, 0xA0),
    *range(0x200B, 0x2010),
    *range(0x2028, 0x202F),
    *range(0x2060, 0x2070),
    0xFEFF,
)
_CONTROL: Final = re.compile("[" + "".join(map(chr, _CODES)) + "]")
_CONTROLS: Final = {code: f"\\u{code:04x}" for code in _CODES}
# Only inside a string can there be two hashes.
_ORDER: Final = re.compile(r"(##\w*)\[")


def write(data: dict[str, Any], *, indent: int | None, ascii_only: bool) -> str:
    """Return `data` as JSON text without a final newline; `indent` None puts it on one line.

    Raises ValueError for NaN and infinities.
    """
    charts = data.get("charts") if indent is not None else None
    if charts:
        rest = {key: value for key, value in data.items() if key != "charts"}
        text = write(rest, indent=indent, ascii_only=ascii_only)
        drawn = safe(_charts(charts, (indent or 0) * " ", ascii_only=ascii_only))
        return f'{text[:-2]},\n{(indent or 0) * " "}"charts": {drawn}\n}}'
    curve: dict[str, str] = {}
    plot = data.get("plot")
    if indent is not None and plot:
        # Thousands of numbers: json's own encoder is in Python, and slow, as soon as it indents.
        keys = ("steps", "values")
        curve = {f'"{_PLACE}{key}"': _lines(plot[key], indent * " ") for key in keys}
        data = data | {"plot": plot | {key: f"{_PLACE}{key}" for key in keys}}
    text = json.dumps(data, indent=indent, ensure_ascii=ascii_only, allow_nan=False)
    for place, lines in curve.items():
        before, _, after = text.rpartition(place)
        text = before + lines + after
    return safe(text)


def safe(text: str) -> str:
    """Return JSON without signs that a terminal obeys, nor orders to a CI system (`##[error]`)."""
    text = text.translate(_CONTROLS) if _CONTROL.search(text) else text
    return _ORDER.sub(r"\1\\u005b", text) if "##" in text else text


def _charts(charts: dict[str, Any], margin: str, *, ascii_only: bool) -> str:
    """Return what a page draws with a line for each key of each item: lists of numbers are long."""

    def item(one: dict[str, Any]) -> str:
        lines = [
            f"{4 * margin}{json.dumps(key)}: "
            + json.dumps(value, ensure_ascii=ascii_only, allow_nan=False, separators=(",", ":"))
            for key, value in one.items()
        ]
        return f"{3 * margin}{{\n" + ",\n".join(lines) + f"\n{3 * margin}}}"

    lists = [
        f"{2 * margin}{json.dumps(key)}: [\n" + ",\n".join(map(item, items)) + f"\n{2 * margin}]"
        if items
        else f"{2 * margin}{json.dumps(key)}: []"
        for key, items in charts.items()
    ]
    return "{\n" + ",\n".join(lists) + f"\n{margin}}}"


def _lines(numbers: list[float | str], margin: str) -> str:
    """Return the numbers (or their names) of the curve as indented JSON, one a line."""
    if not numbers:
        return "[]"
    inside = json.dumps(numbers, allow_nan=False)[1:-1].replace(", ", f",\n{3 * margin}")
    return f"[\n{3 * margin}{inside}\n{2 * margin}]"
