"""Text to number: what is a value, what is NaN, and what is simply missing."""

from __future__ import annotations

import re
from typing import Final

import numpy as np
from numpy.typing import NDArray

from spikedoc.model.run import FloatArray, IntArray
from spikedoc.readers._decimal_comma import with_points
from spikedoc.readers._signs import plainly

# Words that loggers write where there is nothing to write; `nan` is not among them: it is a value.
MISSING_WORDS: Final = frozenset(
    {"", "na", "n/a", "<na>", "null", "none", "nil", "-", "--", "missing", "undefined"}
)
# A tensor printed instead of its number: tensor(0.25, device='cuda:0').
_TENSOR: Final = re.compile(r"tensor\(\s*([^,()\s]{1,40})", re.IGNORECASE)
# NaN and infinity as the C library of Windows prints them, cut or filled up to some digits, and the
# sign of infinity.
_NOT_FINITE: Final = re.compile(
    r"([-+]?)(?:1\.#(?:(INF)|IND|QNAN|SNAN)0{0,16}|nan\((?:ind|snan)\)|(∞))", re.IGNORECASE
)
# Thousands are set off by commas, blanks or apostrophes; 1,80 and 0,312 are no such numbers.
_GROUP: Final = re.compile("[,'\u2019 \u00a0\u202f]")
_GROUPED: Final = re.compile(
    "[-+]?[1-9]\\d{0,2}([,'\u2019 \u00a0\u202f])(?:\\d{2,3}\\1){0,12}\\d{3}"
    r"(?:\.\d{0,40})?(?:[eE][-+]?\d{1,4})?"
)
# Longest text that can be a number; longer ones are not worth a try.
LONGEST_NUMBER: Final = 64
# How a number at the end of a line ends: its digits after the point, and its power of ten.
_ENDING: Final = re.compile(r"\d\.?(\d{0,40})(e[-+]?\d{0,4})?$", re.IGNORECASE)
LONGEST_ENDING: Final = 48
# Digits of an integer that no setting has; Python refuses to print one of 4,300 and more.
_ENDLESS: Final = re.compile(r"[0-9a-fA-F_:]{1000}")
# Integers above this are no longer exact in float64, so they cannot be steps.
LARGEST_STEP: Final = 2.0**53
# Seconds since 1970 lie above this (1980); smaller numbers are durations.
FIRST_WALL_TIME: Final = 3.2e8


def holds_endless_number(text: str) -> bool:
    """Return whether a text of settings holds a run of a thousand digits."""
    return _ENDLESS.search(text) is not None


def number(token: str) -> float | None:
    """Return the value of `token`, NaN and infinities included; None when it holds no value."""
    try:
        return float(token)
    except ValueError:
        return _unusual(token)


def _unusual(token: str) -> float | None:
    text = plainly(token).strip().strip("\"'‘’").rstrip("%")
    if not text or len(text) > LONGEST_NUMBER or text.lower() in MISSING_WORDS:
        return None
    not_finite = _NOT_FINITE.fullmatch(text)
    if not_finite:
        is_infinite = not_finite.group(2) or not_finite.group(3)
        return float(f"{not_finite.group(1)}{'inf' if is_infinite else 'nan'}")
    tensor = _TENSOR.match(text)
    try:
        grouped = _GROUPED.fullmatch(text)
        return float(tensor.group(1) if tensor else _GROUP.sub("", text) if grouped else text)
    except ValueError:
        return None


def ending(text: str) -> tuple[int, int] | None:
    """Return how many digits end the text, and the length of a power of ten; None without."""
    match = _ENDING.search(text[-LONGEST_ENDING:])
    return (len(match.group(1)), len(match.group(2) or "")) if match else None


def is_shortened(last: tuple[int, int], before: tuple[int, int]) -> bool:
    """Return whether a number may be the beginning of one, by the ending of the one before it."""
    digits, power = last
    return digits < before[0] or power < before[1] or (power > 0) != (before[1] > 0)


def numbers(
    tokens: list[str] | tuple[str, ...], *, decimal_comma: bool = False
) -> tuple[IntArray, FloatArray]:
    """Return the positions and values of the tokens that are numbers, in order.

    `decimal_comma` says that commas are decimal signs; else a column of `0,312` shows it itself.
    """
    cells = with_points(tokens, is_sure=True) if decimal_comma else tokens
    try:
        values = np.fromiter(map(float, cells), dtype=np.float64, count=len(cells))
    except ValueError:
        cells = cells if decimal_comma else with_points(cells)
        found = [(i, v) for i, t in enumerate(cells) if t and (v := number(t)) is not None]
        rows = np.fromiter((i for i, _ in found), dtype=np.int64, count=len(found))
        return rows, np.fromiter((v for _, v in found), dtype=np.float64, count=len(found))
    return np.arange(len(tokens), dtype=np.int64), values


def plain(value: object) -> float | None:
    """Return the number in a JSON or frame cell; None for text, booleans, None and containers."""
    if isinstance(value, bool) or value is None:
        return None
    if isinstance(value, int | float):
        try:
            return float(value)
        except OverflowError:
            return None
    return number(value) if isinstance(value, str) and len(value) <= LONGEST_NUMBER else None


def are_wall_times(values: FloatArray) -> bool:
    """Return whether all of the values may be times of day, in seconds since 1970."""
    return bool(np.all(np.isfinite(values) & (values > FIRST_WALL_TIME)))


def are_steps(values: FloatArray) -> NDArray[np.bool_]:
    """Return which of the values are whole numbers that a counter of steps can reach."""
    with np.errstate(invalid="ignore"):
        whole: NDArray[np.bool_] = (np.abs(values) < LARGEST_STEP) & (values == np.round(values))
    return whole
