"""Stable-Baselines3 and OpenAI baselines: boxed tables, `| train/loss | 0.1 |` a row."""

from __future__ import annotations

import re
from typing import Final

from spikedoc.readers._numbers import LARGEST_STEP, number
from spikedoc.readers.lines.base import NOTHING, LineProfile, Record
from spikedoc.text import Text

ROUNDING_NOTE: Final = Text(
    "the tables round steps to three digits; they were counted on by the distance of exact ones",
    "表格将步数四舍五入为三位有效数字，已按精确步数的间距继续计数",
)
# Rounding moves a number by half of the last digit; a trifle more for halves.
HALF: Final = 0.501
MOST_POWER_DIGITS: Final = 2
_ROW: Final = re.compile(
    r"\|\s{1,40}([A-Za-z][^|]{0,60}?)\s{0,40}\|\s{0,20}([^\s|]{1,40})\s{0,40}\|"
)
_RULE: Final = re.compile(r"-{12,200}")
_SECTION: Final = re.compile(r"\|\s{0,3}([A-Za-z_]\w{0,30})/\s{1,60}\|\s{1,60}\|")
# The best name of the counter first; baselines count steps, samples, updates.
_STEPS: Final = ("total_timesteps", "step", "steps", "timesteps", "nupdates", "iterations")


class _Parser:
    def __init__(self) -> None:
        self.table: dict[str, float] = {}
        self.section = ""
        self.unit = 0.0  # what the step was rounded to, 0 when it is exact
        self.last, self.stride = 0.0, 0.0

    def take(self, line: str) -> Record | None:
        if _RULE.fullmatch(line):
            return self.end() or NOTHING
        section = _SECTION.fullmatch(line)
        if section:
            self.section = f"{section.group(1)}/"
            return NOTHING
        row = _ROW.fullmatch(line)
        if row is None:
            self.table = {}
            return None
        value = number(row.group(2))
        if value is not None:
            name = row.group(1)
            self.table[name if "/" in name else f"{self.section}{name}"] = value
            is_step = name.rpartition("/")[2] in _STEPS
            if is_step:
                self.unit = _unit(row.group(2))
        return NOTHING

    def end(self) -> Record | None:
        table, self.table, self.section = self.table, {}, ""
        if not table:
            return None
        last = {name.rpartition("/")[2]: name for name in reversed(table)}
        key = next((last[word] for word in _STEPS if word in last), None)
        step = table.pop(key) if key else None
        if step is None or not abs(step) < LARGEST_STEP:
            return Record(table)
        return Record(table, self._exact(step), notes=(ROUNDING_NOTE,) if self.unit else ())

    def _exact(self, step: float) -> int:
        """The step; a rounded one is counted on from the last one where that agrees with it."""
        if not self.unit:
            self.stride = step - self.last
        elif abs(self.last + self.stride - step) <= self.unit * HALF:
            step = self.last + self.stride
        self.last = step
        return round(step)


def _unit(token: str) -> float:
    """What a number like 1.01e+04 was rounded to, here 100; 0 for plain numbers."""
    digits, sign, power = token.lower().partition("e+")
    if not sign or not power.isdigit() or len(power) > MOST_POWER_DIGITS:
        return 0.0
    return float(10.0 ** (int(power) - len(digits.partition(".")[2])))


def _claims(line: str) -> bool:
    return line.startswith(("| ", "|  ", "-----")) and line.endswith(("|", "-"))


PROFILE: Final = LineProfile("sb3", 150, _claims, _Parser)
