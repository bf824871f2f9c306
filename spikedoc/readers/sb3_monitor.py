"""Episodes as the Monitor of Stable-Baselines3 and Gym writes them: `r,l,t` under a comment."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

import numpy as np

from spikedoc.errors import InputError
from spikedoc.readers._notes import CUT_LINE, ROWS_WITHOUT_NUMBER
from spikedoc.readers._numbers import LARGEST_STEP, number
from spikedoc.readers._sniff import decode
from spikedoc.readers.base import Progress, RawSeries, Reader, Table
from spikedoc.text import Text

# Return, length and seconds of each episode; what is beside them the user asked for.
_HEAD: Final = re.compile(
    rb'#\s?\{[^\n]{0,4000}"t_start":\s?[\d.e+]{1,40}[^\n]{0,4000}\}\r?\nr,l,t'
)
_NAMES: Final = {"r": "monitor/reward", "l": "monitor/length", "t": "monitor/seconds"}
_LENGTH: Final = "l"
NO_EPISODE: Final = Text("no episode in this Monitor file", "这份 Monitor 文件中没有回合记录")
STEPS: Final = Text(
    "steps are environment steps: the lengths of the episodes so far",
    "步数为环境步数：至今各回合长度之和",
)


class Sb3MonitorReader:
    """Reads one series for each column, at the environment steps that had passed."""

    @property
    def name(self) -> str:
        """Short name shown in reports."""
        return "sb3_monitor"

    def accepts(self, path: Path, head: bytes) -> bool:  # noqa: ARG002 - the bytes tell
        """Return whether `head` is that of a Monitor file."""
        return _HEAD.match(head) is not None

    def read(self, path: Path, progress: Progress | None = None) -> Table:
        """Return the episodes; raises InputError when none is whole."""
        text = decode(path.read_bytes())
        lines = text.splitlines()
        notes = [STEPS]
        if not text.endswith(("\n", "\r")) and len(lines) > 2:
            lines.pop()
            notes.append(CUT_LINE)
        names = lines[1].split(",") if len(lines) > 1 else []
        rows = [[number(cell) for cell in line.split(",")] for line in lines[2:] if line.strip()]
        place = names.index(_LENGTH) if _LENGTH in names else 0
        whole = [row for row in rows if len(row) == len(names) and _is_length(row[place])]
        if not whole:
            raise InputError(path, NO_EPISODE, Text("did an episode end?", "是否有回合结束？"))
        if len(whole) < len(rows):
            notes.append(ROWS_WITHOUT_NUMBER.fill({"count": len(rows) - len(whole)}))
        if progress is not None:
            progress(len(text), len(text))
        table = np.array(whole, dtype=np.float64)  # None becomes NaN
        steps = np.cumsum(table[:, place]).astype(np.int64)
        series = tuple(
            RawSeries(_NAMES.get(name, name), steps, table[:, i].copy())
            for i, name in enumerate(names)
        )
        return Table(series, notes=tuple(notes))


def _is_length(value: float | None) -> bool:
    return value is not None and 0 < value < LARGEST_STEP


READER: Final[Reader] = Sb3MonitorReader()
