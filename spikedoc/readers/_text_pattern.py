"""The pattern of a printed line: what stays the same and where the numbers are.

What a line of a pattern says is found out by trial: lines with other numbers in it are made up and
given to the profiles. Where all of them agree on which number means what, lines of the pattern need
not be given to the profiles one by one.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import Random
from typing import Final, NamedTuple

from spikedoc.model.run import ConfigValue
from spikedoc.readers._text_meaning import Meaning, Source
from spikedoc.readers.lines.base import LineProfile, Record

# A longer line, or one with more numbers, is no record, or one that comes seldom.
LONGEST: Final = 2_000
MOST_NUMBERS: Final = 80
_NUMBER: Final = re.compile(
    # a time, a date: as many digits as there are
    rb"(?P<stamp>(?<![\w.])\d{1,4}(?:(?::\d\d){1,3}|[-/]\d{1,2}[-/]\d{1,4})(?:[.,]\d{1,9})?(?![\w]))"
    rb"|(?<![\w.])(?P<sign>-?)(?P<whole>\d{1,15})(?P<rest>\.\d{1,20})?(?P<power>[eE][-+]?\d{1,3})?"
)
_BEFORE_A_SIGN: Final = (b" ", b"=", b":", b"(", b"[", b",", b"\t")
_SIGNED_SHARE: Final = 1 / 3
# Digits that a whole number may have, at least, and whether other numbers may get a sign: what the
# profiles bear is kept. Zero: as many digits as in the line that was seen.
_ROOM: Final = ((9, True), (6, True), (6, False), (0, False))
_LEAST_WHOLE: Final = 3
# Made-up lines for a pattern. Two of them, of zeros and of ones, catch what is decided by a number
# being zero; that eight random ones agree by chance is past belief.
_TRIALS: Final = 8
# What profiles multiply by: milliseconds to seconds, and the letters K, M, G, T.
_FACTORS: Final = (1.0, 1e-3, 1e3, 1e6, 1e9, 1e12)
_SMALLEST_POWER: Final = 30
Parse = Callable[[str], tuple[Record, LineProfile] | None]


@dataclass(frozen=True, slots=True, eq=False)
class Pattern:
    """Matches whole lines; `meaning` is None where the lines say nothing."""

    run: re.Pattern[bytes]  # as many lines as there are, one after the other
    line: re.Pattern[bytes]  # one of them, with its numbers
    meaning: Meaning | None


class _Number(NamedTuple):
    """One number of the line that was seen, and the blanks that fill its column."""

    pattern: bytes
    made_up: Callable[[Random], bytes]
    seen: bytes
    blanks: int


def learn(line: bytes, parse: Parse) -> Pattern | None:
    """Return the pattern of `line`, which ends with a line end; None when it has no clear one.

    `parse` returns what a line without white space around it says; it must not remember it.
    """
    if len(line) > LONGEST or not line.endswith(b"\n") or not _is_utf8(line):
        return None
    for least_digits, may_be_negative in _ROOM:
        texts, numbers = _taken_apart(line, least_digits, may_be_negative)
        if not 0 < len(numbers) <= MOST_NUMBERS:
            return None
        found = _tried(texts, numbers, parse)
        if found is not None:
            return found
    return None


def _is_utf8(line: bytes) -> bool:
    try:
        line.decode()
    except UnicodeDecodeError:
        return False
    return True


def _taken_apart(
    line: bytes, least_digits: int, may_be_negative: bool
) -> tuple[list[bytes], list[_Number]]:
    """The texts around the numbers, and the numbers."""
    texts, numbers, end = [], [], 0
    for match in _NUMBER.finditer(line):
        text = line[end : match.start()]
        end = match.end()
        blanks = len(text) - len(text.rstrip(b" "))
        blanks = blanks if blanks > 1 and len(text) > blanks else 0
        texts.append(text[: len(text) - blanks])
        if match["stamp"]:
            numbers.append(_fixed(match.group(), blanks))
        else:
            signed = may_be_negative and text[-1:] in _BEFORE_A_SIGN
            numbers.append(_growing(match, blanks, least_digits, signed))
    return [*texts, line[end:]], numbers


def _fixed(seen: bytes, blanks: int) -> _Number:
    pattern = b"".join(rb"\d" if chr(byte).isdigit() else re.escape(b"%c" % byte) for byte in seen)
    return _Number(
        pattern, lambda random: re.sub(rb"\d", lambda _: _digits(random, 1), seen), seen, blanks
    )


def _growing(match: re.Match[bytes], blanks: int, least_digits: int, signed: bool) -> _Number:
    is_whole = not match["rest"] and not match["power"]
    size = len(match["whole"])
    most = max(size, (least_digits if is_whole else _LEAST_WHOLE) if least_digits else size)
    least = 1 if least_digits else size
    sign = b"-?" if signed and not is_whole else match["sign"]
    rest = rb"\.\d{1,20}" if match["rest"] else b""
    rest = rb"(?:%b)?" % rest if match["rest"] and match["power"] else rest
    power = rb"[eE][-+]?\d{1,2}" if match["power"] else b""

    def made_up(random: Random) -> bytes:
        whole = _digits(random, random.randint(least, most))
        shown = b"-" if sign == b"-?" and random.random() < _SIGNED_SHARE else match["sign"]
        part = b"." + _digits(random, random.randint(1, 8)) if match["rest"] else b""
        exponent = b"e%+03d" % random.randint(-_SMALLEST_POWER, 9) if match["power"] else b""
        return shown + whole + part + exponent

    return _Number(
        b"%b\\d{%d,%d}%b%b" % (sign, least, most, rest, power), made_up, match.group(), blanks
    )


def _digits(random: Random, count: int) -> bytes:
    first = random.choice(b"123456789") if count > 1 else random.choice(b"0123456789")
    return bytes([first, *random.choices(b"0123456789", k=count - 1)])


def _tried(texts: list[bytes], numbers: list[_Number], parse: Parse) -> Pattern | None:
    random = Random(len(texts))
    lines = [[one.seen for one in numbers]]
    lines += [[re.sub(rb"\d", digit, one.seen) for one in numbers] for digit in (b"0", b"1")]
    lines += [[one.made_up(random) for one in numbers] for _ in range(_TRIALS)]
    said = []
    for number, tokens in enumerate(lines):
        cells = [
            b" " * (random.randint(1, one.blanks) if number and one.blanks else one.blanks) + token
            for one, token in zip(numbers, tokens, strict=True)
        ]
        line = b"".join(a + b for a, b in zip(texts, [*cells, b""], strict=True))
        said.append(parse(line.decode().strip()))
    if all(one is None for one in said):
        return _compiled(texts, numbers, frozenset(), None)
    records = [one[0] for one in said if one is not None]
    profiles = {one[1].name for one in said if one is not None}
    if len(records) < len(said) or len(profiles) > 1 or said[0] is None:
        return None
    meaning = _meaning(records, lines, said[0][1])
    if meaning is None:
        return None
    kept = sorted(meaning.places())
    return _compiled(texts, numbers, frozenset(kept), meaning.numbered(kept))


def _compiled(
    texts: list[bytes], numbers: list[_Number], kept: frozenset[int], meaning: Meaning | None
) -> Pattern:
    bare, caught = re.escape(texts[0]), re.escape(texts[0])
    for place, (one, text) in enumerate(zip(numbers, texts[1:], strict=True)):
        blanks = b" {1,%d}" % one.blanks if one.blanks else b""
        bare += blanks + one.pattern + re.escape(text)
        caught += blanks + (b"(%b)" if place in kept else b"%b") % one.pattern + re.escape(text)
    return Pattern(re.compile(b"(?:%b)*+" % bare), re.compile(caught), meaning)


def _meaning(
    records: Sequence[Record], lines: Sequence[Sequence[bytes]], profile: LineProfile
) -> Meaning | None:
    first = records[0]
    if not all(_is_alike(first, other) for other in records[1:]):
        return None
    columns = [list(map(_number, cells)) for cells in zip(*lines, strict=True)]
    values = {key: _source([one.values[key] for one in records], columns) for key in first.values}
    whole = {
        name: _whole([getattr(one, name) for one in records], columns)
        for name in ("step", "batch", "batches")
    }
    config = {key: _whole([one.config[key] for one in records], columns) for key in first.config}
    epoch = _text([one.epoch for one in records], lines)
    missing = [
        name for name, place in whole.items() if place is None and getattr(first, name) is not None
    ]
    if (
        missing
        or None in values.values()
        or None in config.values()
        or (first.epoch and epoch is None)
    ):
        return None
    return Meaning(
        first,
        profile,
        {key: source for key, source in values.items() if source is not None},
        epoch=epoch,
        config={key: place for key, place in config.items() if place is not None},
        **whole,
    )


def _is_alike(a: Record, b: Record) -> bool:
    """Whether two records say the same of other numbers."""
    return (
        list(a.values) == list(b.values)
        and list(a.config) == list(b.config)
        and (a.step is None, a.batch is None, a.batches is None, not a.epoch)
        == (b.step is None, b.batch is None, b.batches is None, not b.epoch)
        and (a.advances, a.is_loose, a.is_summary, a.is_event, a.notes)
        == (b.advances, b.is_loose, b.is_summary, b.is_event, b.notes)
    )


def _number(cell: bytes) -> float:
    """The number in the cell, NaN for a time or a date."""
    try:
        return float(cell)
    except ValueError:
        return math.nan


def _source(values: Sequence[float], columns: Sequence[Sequence[float]]) -> Source | None:
    if all(value == values[0] for value in values) or all(map(math.isnan, values)):
        return Source(-1, 1.0, values[0])
    for factor in _FACTORS:
        for place, column in enumerate(columns):
            if all(cell * factor == value for cell, value in zip(column, values, strict=True)):
                return Source(place, factor)
    return None


def _whole(values: Sequence[ConfigValue | None], columns: Sequence[Sequence[float]]) -> int | None:
    if not all(type(value) is int for value in values):
        return None
    return next((place for place, column in enumerate(columns) if list(values) == column), None)


def _text(values: Sequence[str], lines: Sequence[Sequence[bytes]]) -> int | None:
    shown = tuple(value.encode("ascii", errors="replace") for value in values)
    return next((p for p, cells in enumerate(zip(*lines, strict=True)) if cells == shown), None)
