"""Steps of records that print only their epoch, as the Trainer's stdout does."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np

from spikedoc.model.run import ConfigValue, FloatArray
from spikedoc.readers._columns import Column
from spikedoc.readers._numbers import number

# A frame of a progress bar: 120/1500 [00:12<02:18, …
_BAR: Final = re.compile(r"(\d{1,12})/(\d{1,12}) \[\d+:\d\d")
_LONGEST_BAR: Final = 400
# Epochs printed with n decimals tell 0.5·10^-n apart; denominators up to half of that are tried.
LARGEST_DENOMINATOR: Final = 20_000
# Share of the records that may fall on the step of the record before (printed twice, by two ranks);
# with more of them the epochs are too coarse to tell steps apart.
MOST_COLLISIONS: Final = 0.02
# How far a record may be from a whole step, in steps, after the rounding of its epoch.
ROUNDING_SLACK: Final = 1.05
# Beside the log: largest config file that is looked at.
LARGEST_CONFIG: Final = 1_000_000
_CONFIG_FILE: Final = "config.json"
_CONFIG_KEYS: Final = ("steps_per_epoch",)


@dataclass(frozen=True, slots=True, eq=False)
class EpochStepsFound:
    """The steps as a column, and the sentence that says how they were found."""

    column: Column
    note: str


def has_bar(line: str) -> bool:
    """Return whether the line holds a frame of a progress bar."""
    return _BAR.search(line[-_LONGEST_BAR:]) is not None


class EpochSteps:
    """Collects epochs and progress bars while the lines pass; then works out steps per epoch."""

    def __init__(self) -> None:
        """Start with nothing seen."""
        self.rows: list[int] = []
        self._epochs: list[str] = []
        self._is_train: list[bool] = []
        self._bars: list[tuple[int, int, int]] = []  # records before the frame, done, total

    def see(self, line: str) -> None:
        """Look for progress bars in the line; the last frame after each record is kept."""
        if "/" not in line or "[" not in line:
            return
        for match in _BAR.finditer(line[-_LONGEST_BAR:]):
            frame = (len(self.rows), int(match.group(1)), int(match.group(2)))
            if self._bars and self._bars[-1][0] == frame[0] and self._bars[-1][2] == frame[2]:
                continue
            self._bars.append(frame)

    def add(self, row: int, epoch: str, is_train: bool) -> None:
        """Remember that `row` printed `epoch`; rows of evaluations share that of a training row."""
        self.rows.append(row)
        self._epochs.append(epoch)
        self._is_train.append(is_train)

    def steps(self, folder: Path, config: Mapping[str, ConfigValue]) -> EpochStepsFound | None:
        """Return the step of each row, None when the epochs cannot be turned into steps."""
        epochs = np.array([number(epoch) for epoch in self._epochs], dtype=np.float64)
        decimals = max(len(epoch.partition(".")[2]) for epoch in self._epochs)
        per_epoch, source = self._per_epoch(epochs, 0.5 * 10.0**-decimals, folder, config)
        if per_epoch is None:
            return None
        steps = np.round(epochs * per_epoch)
        of_training = steps[np.array(self._is_train)]
        if np.sum(np.diff(of_training) == 0) > MOST_COLLISIONS * of_training.size:
            return None
        rows = np.array(self.rows, dtype=np.int64)
        note = f"steps = epoch × {per_epoch} steps per epoch ({source})"
        return EpochStepsFound(Column(rows, steps), note)

    def _per_epoch(
        self, epochs: FloatArray, error: float, folder: Path, config: Mapping[str, ConfigValue]
    ) -> tuple[int | None, str]:
        known = _known_beside(folder)
        if known is not None:
            return known, "from config.json beside it"
        smallest = _smallest_denominator(epochs, error)
        ratio, source = self._ratio(epochs, config)
        if ratio is not None:
            if smallest is not None:
                return max(1, round(ratio / smallest)) * smallest, source
            return max(1, round(ratio)), source
        return smallest, "the smallest number that fits all epochs; true steps may be a multiple"

    def _ratio(
        self, epochs: FloatArray, config: Mapping[str, ConfigValue]
    ) -> tuple[float | None, str]:
        """Steps per epoch as the progress bar, or the announced totals, have it."""
        total = max((bar[2] for bar in self._bars), default=0)
        announced = config.get("total_steps")
        if isinstance(announced, int):
            total = announced
        ratios = [
            done / epochs[count - 1]
            for count, done, all_steps in self._bars
            if all_steps == total
            and 0 < count <= epochs.size
            and done > 0
            and epochs[count - 1] > 0
        ]
        if ratios:
            return float(np.median(ratios)), "from the progress bar"
        declared = config.get("epochs")
        if isinstance(announced, int) and isinstance(declared, int | float) and declared > 0:
            return announced / declared, "from the announced total"
        return None, ""


def _smallest_denominator(epochs: FloatArray, error: float) -> int | None:
    """Smallest whole number of steps per epoch for which all epochs are whole steps."""
    limit = min(LARGEST_DENOMINATOR, int(0.25 / error))
    distinct = np.unique(epochs)
    for candidate in range(1, limit + 1):
        scaled = distinct * candidate
        if np.all(np.abs(scaled - np.round(scaled)) <= ROUNDING_SLACK * error * candidate):
            return candidate
    return None


def _known_beside(folder: Path) -> int | None:
    path = folder / _CONFIG_FILE
    try:
        if not path.is_file() or path.stat().st_size > LARGEST_CONFIG:
            return None
        content = json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError):
        return None
    values = [content.get(key) for key in _CONFIG_KEYS] if isinstance(content, dict) else []
    return next(
        (v for v in values if isinstance(v, int) and not isinstance(v, bool) and v > 0), None
    )
