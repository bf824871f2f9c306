"""torchtune's DiskLogger: `Step 1 | loss:1.5 lr:2e-05 tokens_per_second_per_gpu:500.1`."""

from __future__ import annotations

import re
from typing import Final

from spikedoc.readers._numbers import number
from spikedoc.readers.lines.base import LineProfile, Record, stateless

_LINE: Final = re.compile(r"Step (\d{1,15}) \| (\w.{3,2000})")


def _take(line: str) -> Record | None:
    match = _LINE.match(line)
    if match is None:
        return None
    values = {}
    for word in match.group(2).split():
        name, _, token = word.partition(":")
        value = number(token)
        if value is not None:
            values[name] = value
    return Record(values, int(match.group(1))) if values else None


def _claims(line: str) -> bool:
    return line.startswith("Step ") and " | " in line


PROFILE: Final = LineProfile("torchtune", 360, _claims, stateless(_take))
