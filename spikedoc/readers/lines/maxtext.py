"""MaxText: `completed step: 10, seconds: 1.2, TFLOP/s/device: 40.1, …, loss: 5.1`."""

from __future__ import annotations

import re
from typing import Final

from spikedoc.readers.lines._pairs import pairs
from spikedoc.readers.lines.base import LineProfile, Record, stateless

_LINE: Final = re.compile(r"completed step: (\d{1,15}), (.{3,1000})")


def _take(line: str) -> Record | None:
    match = _LINE.search(line)
    if match is None:
        return None
    values = pairs(match.group(2))
    if "seconds" in values:
        values["step_time"] = values.pop("seconds")
    return Record(values, int(match.group(1))) if values else None


def _claims(line: str) -> bool:
    return "completed step: " in line


PROFILE: Final = LineProfile("maxtext", 370, _claims, stateless(_take))
