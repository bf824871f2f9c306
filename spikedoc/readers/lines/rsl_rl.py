"""rsl_rl (Isaac Lab, legged_gym): `Learning iteration 5/1500`, then `Value function loss: 0.1`."""

from __future__ import annotations

import re
from typing import Final

from spikedoc.readers.lines._pairs import NUMBER, value
from spikedoc.readers.lines.base import NOTHING, LineProfile, Record, Remembering

_HEADING: Final = re.compile(r"Learning iteration (\d{1,12})/\d{1,12}")
# `Mean episode rew_tracking: 0.1`, `Iteration time: 0.72s`; no other sentence ends in its number.
_ROW: Final = re.compile(rf"([A-Za-z][\w /.\-]{{0,100}}):\s{{1,8}}({NUMBER})s?")
_SPEED: Final = re.compile(r"Computation:\s{1,8}(\d{1,12}) steps/s .{0,80}")
_STEPS_PER_SECOND: Final = "Steps per second"
# Closes each block; `Total time` and `Time elapsed` stand above it.
_CLOSING: Final = "ETA:"
# Counters and sums of time say nothing about the training.
_SUMS: Final = frozenset({"Total timesteps", "Total steps", "Total time"})


class _Parser(Remembering):
    """All rows of a block belong to the iteration in its heading."""

    def __init__(self) -> None:
        self.step: int | None = None

    def take(self, line: str) -> Record | None:
        line = line.strip()  # rows are set to the right, behind a rank, too
        heading = _HEADING.fullmatch(line)
        if heading:
            self.step = int(heading.group(1))
            return NOTHING
        if self.step is None:
            return None
        if line.startswith(_CLOSING):
            self.step = None
            return NOTHING
        speed = _SPEED.fullmatch(line)
        if speed:
            return Record({_STEPS_PER_SECOND: float(speed.group(1))}, self.step)
        row = _ROW.fullmatch(line)
        number = value(row.group(2)) if row else None
        if row is None or number is None:
            return None
        return NOTHING if row.group(1) in _SUMS else Record({row.group(1): number}, self.step)


def _claims(line: str) -> bool:
    return ": " in line or "Learning iteration " in line


PROFILE: Final = LineProfile("rsl_rl", 160, _claims, _Parser)
