"""MindSpore: `epoch: 1 step: 100, loss is 2.3` and `Train epoch time: 100 ms, per step time: …`."""

from __future__ import annotations

import re
from typing import Final

from spikedoc.readers.lines._pairs import NUMBER, value
from spikedoc.readers.lines.base import NOTHING, LineProfile, Record, stateless

_LOSS: Final = re.compile(
    rf"epoch: (\d{{1,6}})(?:/\d{{1,6}})? step: (\d{{1,12}})(?:/(\d{{1,12}}))?,? loss is ({NUMBER})",
    re.I,
)
_TIME: Final = re.compile(r"epoch time: .{1,40}, per step time: (\S{1,20})")


def _take(line: str) -> Record | None:
    match = _LOSS.search(line)
    number = value(match.group(4)) if match else None
    if match is None or number is None:
        return NOTHING if _TIME.search(line) else None
    batches = int(match.group(3)) if match.group(3) else None
    return Record({"loss": number}, None, match.group(1), int(match.group(2)), batches)


def _claims(line: str) -> bool:
    return "loss is " in line or "per step time: " in line


PROFILE: Final = LineProfile("mindspore", 580, _claims, stateless(_take))
