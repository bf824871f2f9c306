"""Dopamine: `Starting iteration 3`, then means over its training and its evaluation phase.

The lines of `discrete_domains/run_experiment.py`; the names are those it gives to TensorBoard.
"""

from __future__ import annotations

import re
from typing import Final

from spikedoc.readers.lines._pairs import NUMBER, value
from spikedoc.readers.lines.base import NOTHING, LineProfile, Record, Remembering

_ITERATION: Final = re.compile(r"Starting iteration (\d{1,12})\b")
_RETURN: Final = re.compile(
    rf"Average undiscounted return per (train|eval)[a-z]{{3,7}} episode: ({NUMBER})"
)
_SPEED: Final = re.compile(rf"Average (train|eval)[a-z]{{3,7}} steps per second: ({NUMBER})")
# Drawn over from episode to episode; the steps are those of the phase.
_EPISODE: Final = re.compile(
    rf"Steps executed: (\d{{1,15}}) Episode length: (\d{{1,12}}) Return: ({NUMBER})"
)
_NAMES: Final = {_RETURN: "AverageReturns", _SPEED: "AverageStepsPerSecond"}


class _Parser(Remembering):
    def __init__(self) -> None:
        self.iteration: int | None = None

    def take(self, line: str) -> Record | None:
        begun = _ITERATION.search(line)
        if begun:
            self.iteration = int(begun.group(1))
            return None  # other loops begin so, too, with lines of their own below
        for pattern, name in _NAMES.items():
            found = pattern.search(line)
            number = value(found.group(2)) if found else None
            if found and number is not None:
                return Record({f"{found.group(1).title()}/{name}": number}, self.iteration)
        episode = _EPISODE.search(line)
        return self._episode(episode) if episode else None

    def _episode(self, found: re.Match[str]) -> Record | None:
        """An episode; where iterations are told, their means say more."""
        number = value(found.group(3))
        if self.iteration is not None or number is None:
            return NOTHING
        values = {"episode_return": number, "episode_length": float(found.group(2))}
        return Record(values, int(found.group(1)))


def _claims(line: str) -> bool:
    return (
        "Starting iteration" in line
        or "undiscounted return per" in line
        or "steps per second" in line
        or "Steps executed:" in line
    )


PROFILE: Final = LineProfile("dopamine", 432, _claims, _Parser)
