"""Steps of records that print only their epoch, as the Trainer's stdout does."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Final

import numpy as np

from spikedoc.model.run import ConfigValue, FloatArray
from spikedoc.readers._column import Column
from spikedoc.readers._notes import EPOCH_LENGTH
from spikedoc.readers._numbers import number
from spikedoc.text import Text

# A frame of a progress bar: 120/1500 [00:12<02:18, …
_BAR: Final = re.compile(r"(\d{1,12})/(\d{1,12}) \[\d+:\d\d")
_LONGEST_BAR: Final = 400
# Epochs printed with n decimals tell 0.5·10^-n apart; denominators up to half of that are tried.
# The Trainer from transformers 5 on prints this many significant digits instead.
SIGNIFICANT_DIGITS: Final = 4
# Frames of one bar needed before their agreement with the epochs counts.
LEAST_FRAMES: Final = 3
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

FROM_CONFIG: Final = Text("from config.json beside it", "取自同目录的 config.json")
FROM_BAR: Final = Text("from the progress bar", "取自进度条")
FROM_TOTAL: Final = Text("from the announced total", "取自日志声明的总步数")
SMALLEST_FIT: Final = Text(
    "the smallest number that fits all epochs; true steps may be a multiple",
    "符合所有 epoch 数值的最小整数，真实步数可能是其倍数",
)


@dataclass(frozen=True, slots=True, eq=False)
class EpochStepsFound:
    """The steps as a column, and the sentence that says how they were found."""

    column: Column
    note: Text


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

    def divided(self, begins: Sequence[int]) -> list[EpochSteps]:
        """Return what was seen of each training; all but the first begin at one of those rows."""
        cuts = [0, *np.searchsorted(np.array(self.rows, dtype=np.int64), begins), len(self.rows)]
        return [self._part(int(first), int(last)) for first, last in pairwise(cuts)]

    def _part(self, first: int, last: int) -> EpochSteps:
        part = EpochSteps()
        part.rows, part._epochs = self.rows[first:last], self._epochs[first:last]
        part._is_train = self._is_train[first:last]
        frames = [frame for frame in self._bars if first < frame[0] <= last]
        part._bars = [(count - first, done, total) for count, done, total in frames]
        return part

    def steps(self, folder: Path, config: Mapping[str, ConfigValue]) -> EpochStepsFound | None:
        """Return the step of each row, None when the epochs cannot be turned into steps."""
        epochs = np.array([number(epoch) for epoch in self._epochs], dtype=np.float64)
        errors = _rounding(self._epochs, epochs)
        per_epoch, source = self._per_epoch(epochs, errors, folder, config)
        if per_epoch is None:
            return None
        steps = np.round(epochs * per_epoch)
        of_training = steps[np.array(self._is_train)]
        if np.sum(np.diff(of_training) == 0) > MOST_COLLISIONS * of_training.size:
            return None
        rows = np.array(self.rows, dtype=np.int64)
        note = EPOCH_LENGTH.fill({"length": per_epoch, "source": source})
        return EpochStepsFound(Column(rows, steps), note)

    def _per_epoch(
        self,
        epochs: FloatArray,
        errors: FloatArray,
        folder: Path,
        config: Mapping[str, ConfigValue],
    ) -> tuple[int | None, Text]:
        known = _known_beside(folder)
        if known is not None:
            return known, FROM_CONFIG
        smallest = _smallest_denominator(epochs, errors)
        ratio, source = self._ratio(epochs, config)
        if ratio is not None:
            if smallest is not None and smallest <= round(ratio):
                return max(1, round(ratio / smallest)) * smallest, source
            return max(1, round(ratio)), source
        return smallest, SMALLEST_FIT

    def _ratio(
        self, epochs: FloatArray, config: Mapping[str, ConfigValue]
    ) -> tuple[float | None, Text]:
        """Steps per epoch as the progress bar, or the announced totals, have it."""
        by_total: dict[int, list[float]] = {}
        for count, done, total in self._bars:
            if 0 < count <= epochs.size and done > 0 and epochs[count - 1] > 0:
                by_total.setdefault(total, []).append(done / float(epochs[count - 1]))
        announced = config.get("total_steps")
        ratios = by_total.get(announced, []) if isinstance(announced, int) else _steady(by_total)
        if ratios:
            return float(np.median(ratios)), FROM_BAR
        declared = config.get("epochs")
        if isinstance(announced, int) and isinstance(declared, int | float) and declared > 0:
            return announced / declared, FROM_TOTAL
        return None, FROM_BAR


def _steady(by_total: Mapping[int, list[float]]) -> list[float]:
    """The ratios of the bar that moves with the epochs; bars of evaluations do not."""
    sure = {total: r for total, r in by_total.items() if len(r) >= LEAST_FRAMES}

    def spread(total: int) -> float:
        middle = float(np.median(by_total[total]))
        return float(np.median(np.abs(np.array(by_total[total]) - middle))) / middle

    chosen = (
        min(sure, key=lambda t: (round(spread(t), 2), -t)) if sure else max(by_total, default=0)
    )
    return by_total.get(chosen, [])


def _rounding(printed: list[str], epochs: FloatArray) -> FloatArray:
    """How far each epoch may be from the true one: half a unit of its last digit."""
    decimals = np.array([len(text.partition(".")[2]) for text in printed])
    digits = [len(text.replace(".", "").lstrip("0")) for text in printed]
    small = epochs < 1
    least = int(decimals[~small].max()) if np.any(~small) else SIGNIFICANT_DIGITS
    is_significant = max(digits) <= SIGNIFICANT_DIGITS and bool(np.any(decimals[small] > least))
    if not is_significant:
        return np.full(epochs.size, 0.5 * 10.0 ** -int(decimals.max()))
    exponents = np.floor(np.log10(np.where(epochs > 0, epochs, 1.0)))
    found: FloatArray = 0.5 * 10.0 ** (exponents + 1 - SIGNIFICANT_DIGITS)
    return found


def _smallest_denominator(epochs: FloatArray, errors: FloatArray) -> int | None:
    """Smallest whole number of steps per epoch for which all epochs are whole steps."""
    limit = min(LARGEST_DENOMINATOR, int(0.25 / errors.min()))
    distinct, places = np.unique(epochs, return_index=True)
    slack = ROUNDING_SLACK * errors[places]
    for candidate in range(1, limit + 1):
        scaled = distinct * candidate
        if np.all(np.abs(scaled - np.round(scaled)) <= slack * candidate):
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
