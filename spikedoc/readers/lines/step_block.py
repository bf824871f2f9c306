"""A record over several lines: `step: 39` alone on one, then `loss: 0.3` and others below it."""

from __future__ import annotations

import re
from typing import Final

from spikedoc.readers.lines._loggers import message
from spikedoc.readers.lines._pairs import NUMBER, pairs
from spikedoc.readers.lines._position import position
from spikedoc.readers.lines._quantities import SURE
from spikedoc.readers.lines._sections import TRAIN, named_by, section_in
from spikedoc.readers.lines._spelling import plainly
from spikedoc.readers.lines.base import NOTHING, LineProfile, Record

_HEADING: Final = re.compile(
    r"\W{0,80}(?:(?:start|starting|begin|beginning|training|running)\s)?"
    r"(?:global[_ ]?step|training[_ ]step|step|iter|iteration|update)"
    r"(?:\s?#\s?|[\s:=]{1,4})\[?(\d{1,15})(?:\s?(?:/|of)\s?\d{1,15})?\W{0,80}",
    re.IGNORECASE,
)
_MAY_HEAD: Final = re.compile(
    r"\W{0,80}(?:global|training|step|iter|update|start|begin|running)", re.IGNORECASE
)
# In a line with several of them names are short.
_ONE: Final = re.compile(
    rf"(?<![\w.])[A-Za-z_][\w/.\-()@%]{{0,60}}(?: [A-Za-z_][\w/.\-()@%]{{0,30}}){{0,3}}"
    rf"(?:\s{{0,4}}[:=]\s{{0,4}}|\s{{1,4}})(?:{NUMBER})(?:\s?(?:ms|s|sec|%))?(?![\w.])"
)
_WORD: Final = re.compile(r"\w")
_BELOW: Final = re.compile(
    rf"\W{{0,8}}(?P<name>[A-Za-z_][\w/.\- ()@%]{{0,60}}?)\s{{0,20}}[:=]\s{{0,20}}(?:{NUMBER})"
    r"(?:\s?[a-zA-Z%/]{1,12})?\W{0,8}"
)
# How long it took and how long the rest will take: ETA: 3 h 20 min, 0:12:30.
_DURATION: Final = re.compile(
    r"(?<![\w.])(?:\d{1,6}(?:\.\d{1,6})?\s?(?:d(?:ays?)?|h(?:(?:ou)?rs?)?|m(?:in(?:ute)?s?|s)?"
    r"|s(?:ec(?:ond)?s?)?)(?![a-z])|\d{1,5}(?::\d\d){1,2}(?:\.\d{1,9})?(?![\w:]))",
    re.IGNORECASE,
)
_DIGIT: Final = re.compile(r"\d")
# `step: 30` among the settings of a scheduler heads no record; its neighbours are settings, too.
_SETTING: Final = re.compile(
    r"weight|scale|type|coef|lambda|alpha|num|smooth|target|best|max|min|thresh", re.IGNORECASE
)
_RATE: Final = re.compile(r"lr|learning[ _-]?rate", re.IGNORECASE)
# Headings after which all that stands below one is taken for a record.
LEAST_HEADINGS: Final = 2


class _Parser:
    """Holds the lines below a heading back until the next one, or another kind of line, comes."""

    def __init__(self) -> None:
        self.step: int | None = None
        self.values: dict[str, float] = {}
        self.is_open = False
        self.headings = 0
        self.section = ""  # of the block: what is trained or held-out data
        self.heading = ""  # of a section, right above: it may be that of the step below
        self.has_headings = False  # one of training has stood right above a step
        self.first: Record | None = None  # a block that is a record if the next one is like it

    def take(self, line: str) -> Record | None:
        line = message(line)
        step = step_headed(line)
        if step is not None:
            return self._next(step) or NOTHING
        self.heading = section_in(line)
        found = quantities_in(line) if self.is_open else {}
        if not found:
            # headings of sections, and messages without a number or with a time, may stand between
            self.is_open = self.is_open and not says_more(line)
            self.section = (self.heading if self.is_open else "") or self.section
            return None
        found = named_by(self.section, found)
        again = self.end() if self.values.keys() & found.keys() else None
        first, self.first = self.first, None
        if first is not None and first.values.keys() & found.keys():
            again = first
        self.values.update(found)
        return again or NOTHING

    def _next(self, step: int) -> Record | None:
        """The block before, now that another one begins."""
        held = Record(self.values, self.step) if self.is_open and self.values else None
        before = self.end()
        heading, self.heading = self.heading, ""
        self.has_headings |= heading == TRAIN
        is_headed = heading != "" and (self.has_headings or step == self.step)
        rises = self.step is None or step > self.step or (is_headed and step == self.step)
        self.headings = self.headings + 1 if rises else 1
        is_second = before is None and self.headings == LEAST_HEADINGS
        self.first = held if is_second else None
        self.step, self.is_open, self.section = step, True, heading if is_headed else ""
        return before

    def settled(self) -> Record | None:
        """Return the block if a line of another kind has ended it."""
        return None if self.is_open else self.end()

    def end(self) -> Record | None:
        values, self.values = self.values, {}
        is_record = self.headings >= LEAST_HEADINGS or any(map(_is_sure, values))
        return Record(values, self.step) if values and is_record else None


def step_headed(line: str) -> int | None:
    """Return the step of a line that is no more than its number."""
    heading = _HEADING.fullmatch(plainly(line)) if _MAY_HEAD.match(line) else None
    return int(heading.group(1)) if heading else None


def is_measured(name: str) -> bool:
    """Return whether a quantity is one that a training reaches, not one that is set."""
    return _is_sure(name) and _RATE.fullmatch(name) is None


def _is_sure(name: str) -> bool:
    return SURE.search(name) is not None and _SETTING.search(name) is None


def says_more(line: str) -> bool:
    """Return whether a line holds numbers that are no durations."""
    return _DIGIT.search(_DURATION.sub("", line)) is not None


def quantities_in(line: str) -> dict[str, float]:
    """Return what a line says that is no more than a name with its number, or several of them."""
    if len(line) > MOST_CHARS:
        return {}
    if _BELOW.fullmatch(line):
        return pairs(f" {line}")
    is_list = not _WORD.search(_ONE.sub("", line)) and position(line.lower()) is None
    return pairs(f" {line}") if is_list else {}


def _claims(line: str) -> bool:
    # a heading, or a line that may stand below one: both are short
    return len(line) <= MOST_CHARS


# Names of quantities and of layers are shorter.
MOST_CHARS: Final = 120
PROFILE: Final = LineProfile("step_block", 895, _claims, _Parser)
