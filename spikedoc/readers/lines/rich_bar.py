"""Lightning's bars as Rich draws them: `Epoch 0/7 ━━━━ 20/20 0:00:01 • 0:00:00 13.0it/s loss: 0.7`.

Lightning takes Rich for its bars where that is installed. Into a file each bar is written once,
when it is full (`leave=True`: one an epoch; otherwise the last one alone). Its values stand in a
column of their own, which is a few words wide: what does not fit goes on below.
"""

from __future__ import annotations

import math
import re
from dataclasses import replace
from typing import Final

from spikedoc.readers.lines._pairs import NUMBER, is_held_out, value
from spikedoc.readers.lines.base import NOTHING, LineProfile, Record

_BAR: Final = re.compile(
    r"Epoch (\d{1,6})/-?\d{1,6}\s{1,8}[━╸╺\- ]{1,400}\s(\d{1,12})/(\d{1,12}|--)"
    r"\s{1,8}[\d:\-, days]{4,30} • [\d:\-, days]{4,30}\s\d{1,12}\.\d\dit/s\s{0,8}(.{0,2000})"
)
# A name has no digit in front; "v_num: 0_1" is no number.
_NAME: Final = r"[A-Za-z_][\w/.@\- ]{0,80}:"
_WORD: Final = rf"(?:{NUMBER}|v_num: \S{{1,20}}|\d{{1,6}}_[\d_]{{1,20}})"
# A piece of the column: the value of the line above, whole pairs, a name whose value is below.
_PIECE: Final = re.compile(rf"(?:{_WORD}(?:\s|$))?(?:{_NAME} {_WORD}(?:\s|$)){{0,20}}(?:{_NAME})?")
_VALUE: Final = re.compile(r"([A-Za-z_][^:]{0,80}): (\S{1,60})")
LONGEST_PIECE: Final = 200
# Where a bar goes on: it is drawn in 80 columns where there is no terminal.
_IGNORED: Final = ("v_num",)


class _Parser:
    """One record for each place; a bar that is drawn again with the same values says nothing.

    Values of validation and means of an epoch stay in the bar through the next epoch: they are of
    the full bar that brings them, or of the full bar before the first one that shows them.
    """

    def __init__(self) -> None:
        self.place: Record | None = None
        self.text = ""
        self.is_open = False  # the line before was of the bar
        self.full: Record | None = None  # the last full bar, without values
        self.lasting: dict[str, float] = {}  # as the bar showed them last
        self.has_parts = False  # bars are drawn before they are full
        self.given: dict[str, str] = {}  # values of full bars, by epoch
        self.late: Record | None = None

    def take(self, line: str) -> Record | None:
        bar = _BAR.match(line)
        if bar is None:
            return self._piece(line)
        epoch, batch, batches, text = bar.groups()
        total = int(batches) if batches.isdigit() else None
        place = Record(epoch=epoch, batch=int(batch), batches=total)
        left = None if place == self.place else self.end()
        self.place, self.text, self.is_open = place, text, True
        return left or self._late()

    def _piece(self, line: str) -> Record | None:
        line = line.strip()
        self.is_open = bool(self.is_open and line and _PIECE.fullmatch(line))
        if not self.is_open:
            return None
        self.text = f"{self.text} {line}"
        return self._late()

    def _late(self) -> Record:
        late, self.late = self.late, None
        return late or NOTHING

    def end(self) -> Record | None:
        """Return what the bar before showed that it had not shown before."""
        place, self.place = self.place, None
        found = {name: value(token) for name, token in _VALUE.findall(self.text)}
        values = {n: v for n, v in found.items() if v is not None and n not in _IGNORED}
        if place is None or not values or self.given.get(place.epoch) == repr(values):
            return None
        lasting = {name: v for name, v in values.items() if _lingers(name)}
        fresh = {n: v for n, v in lasting.items() if repr(v) != repr(self.lasting.get(n))}
        self.lasting = lasting
        values = {name: v for name, v in values.items() if name not in lasting}
        if place.batch == place.batches:
            self.full, self.given[place.epoch] = place, repr({**values, **lasting})
            lost = {name: v for name, v in lasting.items() if math.isnan(v)}
            own = {**fresh, **lost} if self.has_parts else lasting
            return replace(place, values={**values, **own})
        self.has_parts = True
        if self.full is not None and fresh:
            self.late = replace(self.full, values=fresh)
        return replace(place, values=values)


def _lingers(name: str) -> bool:
    """Whether the value stays in the bar until the next validation or epoch."""
    return is_held_out(re.sub(r"[_/]", " ", name)) or name.endswith("_epoch")


def _claims(line: str) -> bool:
    return len(line) <= LONGEST_PIECE or "it/s" in line


PROFILE: Final = LineProfile("rich_bar", 598, _claims, _Parser)
