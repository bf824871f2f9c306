"""LeRobot: `step:12K smpl:96K ep:300 epch:2.5 loss:0.05 grdn:1.2 lr:1.0e-05 updt_s:0.1`."""

from __future__ import annotations

import math
import re
from typing import Final

from spikedoc.readers.lines._pairs import value
from spikedoc.readers.lines.base import LineProfile, Record, Remembering
from spikedoc.text import Text

COUNTED: Final = Text(
    "LeRobot rounds steps to thousands (12K): counted on from the interval of the steps before",
    "LeRobot 将步数四舍五入到千（12K）：已按此前的步数间隔继续计数",
)
SHARED: Final = Text(
    "LeRobot rounds steps to thousands (12K): neighbouring records share a step",
    "LeRobot 将步数四舍五入到千（12K）：相邻记录共用同一步数",
)
_LINE: Final = re.compile(
    r"step:(\S{1,12}) smpl:(\S{1,12}) ep:(\S{1,12}) epch:(\S{1,12}) (.{3,400})"
)
_UNITS: Final = {"K": 1e3, "M": 1e6, "B": 1e9}


class _Parser(Remembering):
    """Counts on where steps are rounded: the interval is that of the last exact ones."""

    def __init__(self) -> None:
        self.step: int | None = None
        self.interval = 0

    def take(self, line: str) -> Record | None:
        match = _LINE.search(line)
        step = _human(match.group(1)) if match else None
        if match is None or step is None:
            return None
        values = {}
        for word in match.group(5).split():
            name, _, token = word.partition(":")
            number = value(token)
            if number is not None:
                values[name] = number
        epoch = value(match.group(4))
        if epoch is not None:
            values["epoch"] = epoch
        exact, notes = self._exact(int(step), match.group(1))
        return Record(values, exact, notes=notes)

    def _exact(self, step: int, token: str) -> tuple[int, tuple[Text, ...]]:
        unit = int(_UNITS.get(token[-1:], 0))
        before = self.step
        notes: tuple[Text, ...] = ()
        if unit and before is not None and self.interval > 0:
            # a number rounded to whole units is off by half a unit at most
            if abs(before + self.interval - step) <= unit // 2:
                self.step = before + self.interval
                return self.step, (COUNTED,)
            self.interval = 0
        elif not unit and before is not None:
            self.interval = step - before
        self.step = step
        if unit and not self.interval:
            notes = (SHARED,)
        return step, notes


def _human(token: str) -> float | None:
    number = value(token.rstrip("KMB"))
    whole = math.nan if number is None else number * _UNITS.get(token[-1:], 1.0)
    return round(whole) if math.isfinite(whole) else None


def _claims(line: str) -> bool:
    return "smpl:" in line


PROFILE: Final = LineProfile("lerobot", 390, _claims, _Parser)
