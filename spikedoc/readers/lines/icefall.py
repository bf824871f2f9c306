"""icefall (k2): `Epoch 1, batch 50, loss[loss=0.6, over 100 frames.], tot_loss[…], lr: …`."""

from __future__ import annotations

import re
from typing import Final

from spikedoc.readers.lines._pairs import NUMBER, value
from spikedoc.readers.lines.base import LineProfile, Record, stateless

_PLACE: Final = re.compile(r"Epoch (\d{1,6}), (?:global )?batch (\d{1,12})")
_GROUP: Final = re.compile(r"(?<![\w])(loss|tot_loss|validation)(?:\[|: )([^\]]{3,1500})")
_FIELD: Final = re.compile(rf"(\w{{1,60}})=({NUMBER})", re.IGNORECASE)
_AFTER: Final = re.compile(rf"(lr|grad_scale): ({NUMBER})", re.IGNORECASE)
_SMALL: Final = re.compile(rf"grad[_ ]scale is small: ({NUMBER})", re.IGNORECASE)
_VALID: Final = re.compile(r"Epoch (\d{1,6}), validation: (.{3,1500})")


def _take(line: str) -> Record | None:
    small = _SMALL.search(line)
    if small:
        scale = value(small.group(1))
        return Record({} if scale is None else {"grad_scale": scale}, is_loose=True, is_event=True)
    held_out = _VALID.search(line)
    if held_out:
        return Record(_fields(held_out.group(2), "valid_"), None, held_out.group(1))
    values: dict[str, float] = {}
    for group, text in _GROUP.findall(line):
        prefix = "tot_" if group == "tot_loss" else ""
        values |= _fields(text, prefix)
    if not values:
        return None
    for name, token in _AFTER.findall(line):
        number = value(token)
        if number is not None:
            values[name] = number
    place = _PLACE.search(line)
    if place is None:
        return Record(values, is_loose=True)
    return Record(values, None, place.group(1), int(place.group(2)))


def _fields(text: str, prefix: str) -> dict[str, float]:
    found = {name: value(token) for name, token in _FIELD.findall(text)}
    return {f"{prefix}{name}": number for name, number in found.items() if number is not None}


def _claims(line: str) -> bool:
    return (
        "loss[" in line or ("validation: " in line and "Epoch " in line) or "scale is small" in line
    )


PROFILE: Final = LineProfile("icefall", 410, _claims, stateless(_take))
