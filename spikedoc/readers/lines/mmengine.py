"""MMEngine: `Epoch(train)  [1][ 5/20]  lr: 1e-2  eta: …  loss: 6.5`, `Iter(train) [10/100]`."""

from __future__ import annotations

import re
from typing import Final

from spikedoc.readers.lines._pairs import pairs
from spikedoc.readers.lines.base import LineProfile, Record, stateless

_EPOCH: Final = re.compile(
    r"Epoch\((train|val|test)\)\s{1,4}\[(\d{1,6})\]\s?\[\s{0,8}(\d{1,12})/\s{0,8}(\d{1,12})\]\s{1,6}(.{3,8000})"
)
_ITER: Final = re.compile(
    r"Iter\((train|val|test)\)\s{1,4}\[\s{0,8}(\d{1,12})/\s{0,8}(\d{1,12})\]\s{1,6}(.{3,8000})"
)
_IGNORED: Final = ("memory", "eta", "time", "data_time")


def _take(line: str) -> Record | None:
    match = _EPOCH.search(line)
    if match:
        split, epoch, batch, batches, text = match.groups()
        if split == "train":
            values = {n: v for n, v in pairs(text).items() if n not in _IGNORED[:2]}
            return Record(values, None, epoch, int(batch), int(batches)) if values else None
        return Record(_held_out(text), None, epoch)
    match = _ITER.search(line)
    if match is None:
        return None
    split, step, total, text = match.groups()
    if split != "train":
        return Record(_held_out(text), is_loose=True)
    values = {n: v for n, v in pairs(text).items() if n not in _IGNORED[:2]}
    return Record(values, int(step), config={"total_steps": int(total)}) if values else None


def _held_out(text: str) -> dict[str, float]:
    found = pairs(text)
    return {f"val/{name}": value for name, value in found.items() if name not in _IGNORED}


def _claims(line: str) -> bool:
    return "Epoch(" in line or "Iter(" in line


PROFILE: Final = LineProfile("mmengine", 500, _claims, stateless(_take), framework="mmengine")
