"""A record over several lines: `step: 39` alone on one, then `loss: 0.3` and others below it."""

from __future__ import annotations

import re
from typing import Final

from spikedoc.readers.lines._pairs import NUMBER, pairs
from spikedoc.readers.lines._quantities import SURE
from spikedoc.readers.lines._spelling import plainly
from spikedoc.readers.lines.base import NOTHING, LineProfile, Record

_HEADING: Final = re.compile(
    r"\W{0,80}(?:global[_ ]?step|training[_ ]step|step|iter|iteration|update)"
    r"(?:\s?#\s?|[\s:=]{1,4})\[?(\d{1,15})(?:\s?(?:/|of)\s?\d{1,15})?\W{0,80}",
    re.IGNORECASE,
)
_MAY_HEAD: Final = re.compile(r"\W{0,80}(?:global|training|step|iter|update)", re.IGNORECASE)
_BELOW: Final = re.compile(
    rf"\W{{0,8}}(?P<name>[A-Za-z_][\w/.\- ()@%]{{0,60}}?)\s{{0,20}}[:=]\s{{0,20}}(?:{NUMBER})"
    r"(?:\s?[a-zA-Z%/]{1,12})?\W{0,8}"
)
_DIGIT: Final = re.compile(r"\d")
# `step: 30` among the settings of a scheduler heads no record; its neighbours are settings, too.
_SETTING: Final = re.compile(
    r"weight|scale|type|coef|lambda|alpha|num|smooth|target|best|max|min|thresh", re.IGNORECASE
)
# Headings after which all that stands below one is taken for a record.
LEAST_HEADINGS: Final = 2


class _Parser:
    """Holds the lines below a heading back until the next one, or another kind of line, comes."""

    def __init__(self) -> None:
        self.step: int | None = None
        self.values: dict[str, float] = {}
        self.is_open = False
        self.headings = 0

    def take(self, line: str) -> Record | None:
        heading = _HEADING.fullmatch(plainly(line)) if _MAY_HEAD.match(line) else None
        if heading:
            before, step = self.end(), int(heading.group(1))
            self.headings = self.headings + 1 if self.step is None or step > self.step else 1
            self.step, self.is_open = step, True
            return before or NOTHING
        below = _BELOW.fullmatch(line) if self.is_open else None
        found = pairs(f" {line}") if below else {}
        if not found:
            # headings of sections, and messages without a number, may stand between
            self.is_open = self.is_open and _DIGIT.search(line) is None
            return None
        again = self.end() if self.values.keys() & found.keys() else None
        self.values.update(found)
        return again or NOTHING

    def end(self) -> Record | None:
        values, self.values = self.values, {}
        is_record = self.headings >= LEAST_HEADINGS or any(
            SURE.search(name) and not _SETTING.search(name) for name in values
        )
        return Record(values, self.step) if values and is_record else None


def _claims(line: str) -> bool:
    # a heading, or a line that may stand below one: both are short
    return len(line) <= MOST_CHARS


# Names of quantities and of layers are shorter.
MOST_CHARS: Final = 120
PROFILE: Final = LineProfile("step_block", 895, _claims, _Parser)
