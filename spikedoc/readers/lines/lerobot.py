"""LeRobot: `step:12K smpl:96K ep:300 epch:2.5 loss:0.05 grdn:1.2 lr:1.0e-05 updt_s:0.1`."""

from __future__ import annotations

import re
from typing import Final

from spikedoc.readers.lines._pairs import value
from spikedoc.readers.lines.base import LineProfile, Record, stateless

ROUNDING_NOTE: Final = "LeRobot rounds steps to thousands (12K): neighbouring records share a step"
_LINE: Final = re.compile(
    r"step:(\S{1,12}) smpl:(\S{1,12}) ep:(\S{1,12}) epch:(\S{1,12}) (.{3,400})"
)
_UNITS: Final = {"K": 1e3, "M": 1e6, "B": 1e9}


def _take(line: str) -> Record | None:
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
    notes = (ROUNDING_NOTE,) if match.group(1)[-1:] in _UNITS else ()
    return Record(values, int(step), notes=notes)


def _human(token: str) -> float | None:
    number = value(token.rstrip("KMB"))
    finite = number is not None and abs(number) < float("inf")
    return round(number * _UNITS.get(token[-1:], 1.0)) if finite and number is not None else None


def _claims(line: str) -> bool:
    return "smpl:" in line


PROFILE: Final = LineProfile("lerobot", 390, _claims, stateless(_take))
