"""MXNet, GluonCV, Sockeye: `Epoch[0] Batch [20]\tSpeed: …\tacc=0.1`, `Epoch[0] Validation-…`."""

from __future__ import annotations

import re
from typing import Final

from spikedoc.readers.lines._pairs import NUMBER, value
from spikedoc.readers.lines.base import LineProfile, Record, Remembering

_BATCH: Final = re.compile(
    r"Epoch\[(\d{1,6})\] Batch \[(\d{1,12})(?:-(\d{1,12}))?\]\s{1,4}"
    r"Speed:? (\S{1,20}) samples/sec(.{0,800})"
)
_EPOCH: Final = re.compile(
    rf"Epoch\[(\d{{1,6}})\] ((?:Train|Validation)-[\w@.\-]{{1,60}})=({NUMBER})", re.I
)
_OTHER: Final = re.compile(r"Epoch\[\d{1,6}\] (?:Time cost|Resetting)")
_FIELD: Final = re.compile(rf"([A-Za-z][\w@.\-]{{0,60}})=({NUMBER})", re.IGNORECASE)


class _Parser(Remembering):
    """Several values of one batch may come in lines of their own."""

    def __init__(self) -> None:
        self.last = ("", "")

    def take(self, line: str) -> Record | None:
        match = _BATCH.search(line)
        if match:
            speed = value(match.group(4))
            place = (match.group(1), match.group(2))
            values = {} if speed is None or place == self.last else {"samples/sec": speed}
            self.last = place
            for name, token in _FIELD.findall(match.group(5)):
                number = value(token)
                if number is not None:
                    values[name] = number
            return Record(values, None, match.group(1), int(match.group(3) or match.group(2)))
        match = _EPOCH.search(line)
        number = value(match.group(3)) if match else None
        if match and number is not None:
            is_mean = match.group(2).startswith("Train")
            name = f"epoch-{match.group(2)}" if is_mean else match.group(2)
            return Record({name: number}, None, match.group(1))
        return Record() if _OTHER.search(line) else None


def _claims(line: str) -> bool:
    return "Epoch[" in line


PROFILE: Final = LineProfile("mxnet", 560, _claims, _Parser)
