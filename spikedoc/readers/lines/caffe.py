"""Caffe: `Iteration 20, loss = 7.1`, `Train net output #0: …`, `Iteration 20, lr = 0.01`."""

from __future__ import annotations

import re
from typing import Final

from spikedoc.readers.lines._pairs import NUMBER, value
from spikedoc.readers.lines.base import LineProfile, Record, Remembering

_ITERATION: Final = re.compile(
    rf"Iteration (\d{{1,15}})(?: \([^)]{{1,60}}\))?, (loss|lr) = ({NUMBER})", re.IGNORECASE
)
_TESTING: Final = re.compile(r"Iteration (\d{1,15}), Testing net \(#(\d{1,4})\)")
_OUTPUT: Final = re.compile(
    rf"(Train|Test) net output #\d{{1,4}}: (\S{{1,60}}) = ({NUMBER})", re.IGNORECASE
)
# Caffe computes in single precision, always: layers are compiled for float and double alone.
PRECISION: Final = {"precision": "fp32"}


class _Parser(Remembering):
    def __init__(self) -> None:
        self.step: int | None = None
        self.net = ""

    def take(self, line: str) -> Record | None:
        match = _ITERATION.search(line)
        if match and "=" in line[match.end() :]:
            return None  # Caffe prints one number in a line
        if match:
            self.step = int(match.group(1))
            number = value(match.group(3))
            values = {} if number is None else {match.group(2): number}
            return Record(values, self.step, config=PRECISION)
        match = _TESTING.search(line)
        if match:
            self.step, net = int(match.group(1)), match.group(2)
            self.net = "" if net == "0" else f"{net}"
            return Record(step=self.step)
        match = _OUTPUT.search(line)
        number = value(match.group(3)) if match else None
        if match is None or number is None:
            return None
        if match.group(1) == "Test":
            return Record({f"test{self.net}/{match.group(2)}": number}, self.step)
        if match.group(2) == "loss":  # the same number as in the line before
            return Record()
        return Record({f"train/{match.group(2)}": number}, self.step)


def _claims(line: str) -> bool:
    return "Iteration " in line or " net output #" in line


PROFILE: Final = LineProfile("caffe", 550, _claims, _Parser)
