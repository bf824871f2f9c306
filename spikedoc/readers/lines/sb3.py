"""Stable-Baselines3 and OpenAI baselines: boxed tables, `| train/loss | 0.1 |` a row."""

from __future__ import annotations

import re
from typing import Final

from spikedoc.readers._numbers import LARGEST_STEP, number
from spikedoc.readers.lines.base import NOTHING, LineProfile, Record

ROUNDING_NOTE: Final = "the tables round numbers, steps too, to three digits: late steps coincide"
_ROW: Final = re.compile(
    r"\|\s{1,40}([A-Za-z][^|]{0,60}?)\s{0,40}\|\s{0,20}([^\s|]{1,40})\s{1,40}\|"
)
_RULE: Final = re.compile(r"-{12,200}")
_SECTION: Final = re.compile(r"\|\s{0,3}([A-Za-z_]\w{0,30})/\s{1,60}\|\s{1,60}\|")
# The best name of the counter first; baselines count steps, samples, updates.
_STEPS: Final = ("total_timesteps", "step", "steps", "timesteps", "nupdates", "iterations")


class _Parser:
    def __init__(self) -> None:
        self.table: dict[str, float] = {}
        self.section = ""
        self.has_rounded = False

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
            self.has_rounded |= is_step and "e+" in row.group(2).lower()
        return NOTHING

    def end(self) -> Record | None:
        table, self.table, self.section = self.table, {}, ""
        if not table:
            return None
        last = {name.rpartition("/")[2]: name for name in reversed(table)}
        key = next((last[word] for word in _STEPS if word in last), None)
        step = table.pop(key) if key else None
        whole = None if step is None or not abs(step) < LARGEST_STEP else int(step)
        return Record(table, whole, notes=(ROUNDING_NOTE,) if self.has_rounded else ())


def _claims(line: str) -> bool:
    return line.startswith(("| ", "|  ", "-----")) and line.endswith(("|", "-"))


PROFILE: Final = LineProfile("sb3", 150, _claims, _Parser)
