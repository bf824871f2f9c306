"""NVIDIA apex: `Gradient overflow.  Skipping step, loss scaler 0 reducing loss scale to 4096.0`."""

from __future__ import annotations

import re
from typing import Final

from spikedoc.readers.lines._pairs import value
from spikedoc.readers.lines.base import LineProfile, Record, stateless

_OVERFLOW: Final = re.compile(
    r"Gradient overflow\.\s{1,4}Skipping step, (?:loss scaler (\d{1,4}) )?reducing "
    r"loss scale to (\S{1,30})"
)


def _take(line: str) -> Record | None:
    match = _OVERFLOW.search(line)
    scale = value(match.group(2)) if match else None
    if match is None or scale is None:
        return None
    scaler = int(match.group(1) or 0)
    name = f"loss_scale/scaler {scaler}" if scaler else "loss_scale"
    return Record({name: scale}, advances=not scaler, is_event=True)


def _claims(line: str) -> bool:
    return "Gradient overflow" in line


PROFILE: Final = LineProfile("apex", 135, _claims, stateless(_take))
