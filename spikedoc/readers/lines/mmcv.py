"""MMCV 1.x (MMDetection 2 and kin): `Epoch [1][50/100]\tlr: 1e-3, loss: 2.7`, `Iter [50/100]`."""

from __future__ import annotations

import re
from typing import Final

from spikedoc.readers.lines._pairs import pairs
from spikedoc.readers.lines.base import LineProfile, Record, stateless

_TRAIN: Final = re.compile(r"Epoch \[(\d{1,6})\]\s?\[(\d{1,12})/(\d{1,12})\]\s{1,4}(.{3,8000})")
_ITER: Final = re.compile(r"Iter \[(\d{1,12})/(\d{1,12})\]\s{1,4}(.{3,8000})")
_VAL: Final = re.compile(r"Epoch\(val\) \[(\d{1,6})\](?:\[(\d{1,12})\])?\s{1,4}(.{3,8000})")
_IGNORED: Final = ("memory", "eta")


def _take(line: str) -> Record | None:
    match = _TRAIN.search(line)
    if match:
        place = (match.group(1), int(match.group(2)), int(match.group(3)))
        values = _values(match.group(4), "")
        return Record(values, None, *place) if values else None
    match = _ITER.search(line)
    if match:
        values = _values(match.group(3), "")
        config = {"total_steps": int(match.group(2))}
        return Record(values, int(match.group(1)), config=config) if values else None
    match = _VAL.search(line)
    values = _values(match.group(3), "val/") if match else {}
    return Record(values, None, match.group(1)) if match and values else None


def _values(text: str, prefix: str) -> dict[str, float]:
    found = pairs(text)
    return {f"{prefix}{name}": value for name, value in found.items() if name not in _IGNORED}


def _claims(line: str) -> bool:
    return "Epoch [" in line or "Iter [" in line or "Epoch(val) [" in line


PROFILE: Final = LineProfile("mmcv", 510, _claims, stateless(_take), framework="mmengine")
