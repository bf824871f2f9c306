"""Numbers as people write them, put plainly: `12,500` and `12_500`, and steps such as `12.55k`."""

from __future__ import annotations

import re
from typing import Final

_MARKED: Final = re.compile(r"\d[,_']\d{3}")
# Groups of three digits behind one to three that do not start with zero: 0,123 is a decimal comma.
# Not behind a power (the list 1e-3,100), a decimal, a time of day or another member of a list.
_GROUPED: Final = re.compile(
    r"(?<![\w.,'])(?<![eE][-+])(?<!\d:)([1-9]\d{0,2}([,_'])\d{3}(?:\2\d{3}){0,4})"
    r"(?![\d_]|[,']\d)(\.\d)?"
)
_COUNTER: Final = (
    r"(?<![A-Za-z])(?:steps?|iterations?|iters?|updates?|num_updates|(?:mini-?)?batch(?:es|_idx)?"
    r"|timesteps?|episodes?)[\s:=#\[(_]{1,8}"
)
# What stands before a counter; `Epoch [1,100]` may be an epoch and a batch.
_BEFORE: Final = re.compile(
    rf"(?:{_COUNTER}|(?<![A-Za-z])epochs?[\s:=#]{{1,8}}|\d\s{{0,4}}(?:/|of)\s{{0,4}})$", re.I
)
_LONGEST_BEFORE: Final = 32
_FRONT: Final = re.compile(r"\W{0,3}")
_BEHIND_FRONT: Final = re.compile(r"\s{0,3}[/:|]|\s{1,9}[A-Za-z]")
_SHORT: Final = re.compile(
    rf"({_COUNTER})(\d{{1,9}}(?:\.\d{{1,6}})?)([kKM])(?!\w)"
    r"(?:(\s{0,4}(?:/|of)\s{0,4})(\d{1,9}(?:\.\d{1,6})?)([kKM])(?!\w))?",
    re.I,
)
_UNITS: Final = {"k": 1_000, "m": 1_000_000}
# A number with a decimal point: where there is one a comma is no decimal comma.
_POINT: Final = re.compile(r"(?<![\w.,:])\d{1,15}\.\d{1,20}(?![\d.]|,\d)")


def ungrouped(line: str, *, are_groups: bool = False) -> str:
    """Return the line without thousands separators.

    `loss 1,234` may be written with a decimal comma: it is left alone unless the line holds a
    decimal point. Counters are whole numbers, `1,234.5` and `1_234` are clear, and so is every
    comma where `are_groups` says that they group thousands.
    """
    if not _MARKED.search(line):
        return line
    has_points = are_groups or _POINT.search(line) is not None

    def plain(match: re.Match[str]) -> str:
        if _is_list(match):
            return match.group()
        is_clear = has_points or match.group(2) != "," or match.group(3) or _counts(match)
        digits = match.group(1).replace(match.group(2), "") if is_clear else match.group(1)
        return digits + (match.group(3) or "")

    return _GROUPED.sub(plain, line)


def _is_list(match: re.Match[str]) -> bool:
    """Whether it is all that brackets hold: `Epoch [1,100]`, an epoch and a batch, or a shape."""
    line, end = match.string, match.end()
    return (
        match.group(2) == "," and line[: match.start()].endswith("[") and line[end : end + 1] == "]"
    )


def _counts(match: re.Match[str]) -> bool:
    """Whether the number is a counter, by what stands around it."""
    line, start = match.string, match.start()
    if _BEFORE.search(line[max(0, start - _LONGEST_BEFORE) : start]):
        return True
    is_front = _FRONT.fullmatch(line[:start]) is not None
    return is_front and _BEHIND_FRONT.match(line, match.end()) is not None


def spelled_out(line: str) -> tuple[str, int]:
    """Return the line with steps such as 12.55k as whole numbers, and how coarse they are.

    That is 10 steps for 12.55k, 0 where no step is written so.
    """
    match = _SHORT.search(line)
    if match is None:
        return line, 0
    before, number, unit, of, total, total_unit = match.groups()
    text = before + str(_whole(number, unit))
    text += of + str(_whole(total, total_unit)) if of else ""
    decimals = len(number.partition(".")[2])
    coarse = max(1, int(_UNITS[unit.lower()] / 10**decimals))
    return line[: match.start()] + text + line[match.end() :], coarse


def plainly(line: str) -> str:
    """Return the line with its counters in plain digits."""
    return spelled_out(ungrouped(line))[0]


def _whole(number: str, unit: str) -> int:
    return round(float(number) * _UNITS[unit.lower()])
