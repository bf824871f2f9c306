"""modded-nanogpt: `step:10/100 train_loss:3.2 train_time:100ms step_avg:10.0ms`."""

from __future__ import annotations

import re
from typing import Final

from spikedoc.readers._numbers import number
from spikedoc.readers.lines.base import LineProfile, Record, stateless

_HEAD: Final = re.compile(r"step:(\d{1,15})/(\d{1,15}) (.{3,400})")
_MILLISECONDS: Final = 1e-3


def _take(line: str) -> Record | None:
    match = _HEAD.search(line)
    if match is None:
        return None
    values = {}
    for word in match.group(3).split():
        name, _, token = word.partition(":")
        is_time = token.endswith("ms")
        value = number(token.removesuffix("ms"))
        if value is not None and name:
            values[name] = value * _MILLISECONDS if is_time else value
    total = int(match.group(2))
    return Record(values, int(match.group(1)), config={"total_steps": total}) if values else None


def _claims(line: str) -> bool:
    return "step:" in line and "_loss:" in line


PROFILE: Final = LineProfile("modded_nanogpt", 320, _claims, stateless(_take))
