"""Darknet: ` 174: 933.3, 780.7 avg loss, 0.001 rate, 6.0 seconds, 576 images`."""

from __future__ import annotations

import re
from typing import Final

from spikedoc.readers.lines._pairs import NUMBER, value
from spikedoc.readers.lines.base import NOTHING, LineProfile, Record, stateless

_LINE: Final = re.compile(
    rf"(\d{{1,12}}): ({NUMBER}), ({NUMBER}) avg(?: loss)?"
    rf"(?:, ({NUMBER}) rate)?(?:, ({NUMBER}) seconds)?",
    re.IGNORECASE,
)
_LAYER: Final = re.compile(
    rf"Region (\d{{1,6}}) Avg \(IOU: ({NUMBER})\).{{0,200}}class_loss = ({NUMBER}), "
    rf"iou_loss = ({NUMBER}), total_loss = ({NUMBER})",
    re.IGNORECASE,
)
_NAMES: Final = ("loss", "avg_loss", "lr", "step_time")
# The original computes in single precision alone. Its fork can train in half, and says "avg loss".
PRECISION: Final = {"precision": "fp32"}
FORK: Final = " avg loss"
_PARTS: Final = ("class_loss", "iou_loss", "total_loss")


def _take(line: str) -> Record | None:
    match = _LINE.search(line)
    if match:
        found = {
            name: value(token or "") for name, token in zip(_NAMES, match.groups()[1:], strict=True)
        }
        values = {n: v for n, v in found.items() if v is not None}
        config = {} if FORK in match.group(0) else PRECISION
        return Record(values, int(match.group(1)), config=config)
    match = _LAYER.search(line)
    if match:
        found = {
            f"{name}/region {match.group(1)}": value(token)
            for name, token in zip(_PARTS, match.groups()[2:], strict=True)
        }
        return Record({n: v for n, v in found.items() if v is not None}, is_loose=True)
    return NOTHING if line.startswith("Region ") else None


def _claims(line: str) -> bool:
    return " avg" in line or "Region " in line


PROFILE: Final = LineProfile("darknet", 435, _claims, stateless(_take))
