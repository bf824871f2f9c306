"""Tables as people post them in Markdown: numbers set in bold, or the steps in the header."""

from __future__ import annotations

import re
from itertools import pairwise, takewhile
from typing import Final

from spikedoc.readers._numbers import number

# Under the names: |---|:---:|
_RULE: Final = re.compile(
    r"\s{0,8}\|?(?:\s{0,8}:?-{2,60}:?\s{0,8}\|){1,500}(?:\s{0,8}:?-{2,60}:?)?"
)
# **1.44**, `1.44` and the like.
_MARKED: Final = re.compile(
    r"(\*{1,3}|`{1,2}|~~)\s?([-+]?[\d.]{1,40}(?:[eE][-+]?\d{1,4})?|[+-]?(?:nan|inf))\s?\1", re.I
)
# The rule stands in the second line of the table, which stands near the top.
LINES_LOOKED_AT: Final = 20
_COUNTERS: Final = frozenset(
    {"step", "steps", "global step", "global_step", "iter", "iteration", "iterations", "epoch"}
)
# Fewer steps side by side may be the sizes of something.
LEAST_STEPS: Final = 3


def unmarked(text: str) -> str:
    """Return a Markdown table as plain cells below names, any other text as it is.

    A table that has the steps in its header and a quantity in each row is turned round; columns
    of such a table that are no step, as a mean at its end, are left out.
    """
    if "|" not in text[: LINES_LOOKED_AT * 200]:
        return text
    head = text.split("\n", LINES_LOOKED_AT)[:LINES_LOOKED_AT]
    at = next((i for i, line in enumerate(head) if _RULE.fullmatch(line.rstrip())), 0)
    if at == 0:
        return text
    text = _MARKED.sub(r"\2", text)
    lines = text.split("\n")
    turned = _turned(lines[at - 1], list(takewhile(lambda line: "|" in line, lines[at + 1 :])))
    return text if turned is None else "\n".join(turned)


def _turned(header: str, rows: list[str]) -> list[str] | None:
    """Return the table with a step in each row; None when its header holds no steps."""
    names, cells = _cells(header), [_cells(row) for row in rows]
    if not cells or names[0].lower() not in _COUNTERS:
        return None
    read = [(place, number(name)) for place, name in enumerate(names)]
    steps = [(place, value) for place, value in read if value is not None and _is_count(value)]
    told = [value for _, value in steps]
    rises = all(a < b for a, b in pairwise(told))
    if len(told) < LEAST_STEPS or not rises or any(number(row[0]) is not None for row in cells):
        return None
    out = [_row([names[0], *(row[0] for row in cells)])]
    for place, value in steps:
        out.append(
            _row([f"{value:.0f}", *(row[place] if place < len(row) else "" for row in cells)])
        )
    return out


def _is_count(value: float) -> bool:
    return value >= 0 and value.is_integer()


def _cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.strip().removeprefix("|").removesuffix("|").split("|")]


def _row(cells: list[str]) -> str:
    return "|".join(cells)
