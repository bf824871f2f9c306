"""Detectron2 and maskrcnn-benchmark: `eta: 0:10:00  iter: 19  total_loss: 1.2  loss_cls: …`.

The check that ends a training whose loss is not finite prints its own line, and no record.
"""

from __future__ import annotations

import re
from typing import Final

from spikedoc.readers.lines._pairs import NUMBER, pairs, value
from spikedoc.readers.lines.base import LineProfile, Record, Remembering
from spikedoc.text import Text

WINDOW_NOTE: Final = Text(
    "values are medians over a window of iterations: single spikes are flattened",
    "数值是一段迭代窗口的中位数：单个尖峰会被抹平",
)
_ITER: Final = re.compile(r"\biter: (\d{1,15})\s{2,4}(.{3,8000})")
_STOPPED: Final = re.compile(r"Loss became infinite or NaN at iteration=(\d{1,15})!")
_TERMS: Final = "loss_dict = {"
_TERM: Final = re.compile(rf"'(\w{{1,60}})': (?:tensor\()?({NUMBER})(?![\w.])")
_IGNORED: Final = ("iter", "max_mem", "max mem", "eta", "last_data_time", "last_time")


class _Parser(Remembering):
    """Knows the iteration at which the training was stopped: its terms follow on the next line."""

    def __init__(self) -> None:
        self.stopped: int | None = None

    def take(self, line: str) -> Record | None:
        stopped = _STOPPED.search(line) if "NaN at" in line else None
        if stopped is not None:
            self.stopped = int(stopped.group(1))
            return Record({"total_loss": float("nan")}, self.stopped, is_event=True)
        if self.stopped is not None and line.startswith(_TERMS):
            found = {name: value(token) for name, token in _TERM.findall(line)}
            return Record({name: v for name, v in found.items() if v is not None}, self.stopped)
        return _record(line)


def _record(line: str) -> Record | None:
    match = _ITER.search(line)
    if match is None:
        return None
    values = {name: value for name, value in pairs(match.group(2)).items() if name not in _IGNORED}
    if not any("loss" in name for name in values):
        return None
    if "time" in values:
        values["iter_time"] = values.pop("time")
    return Record(values, int(match.group(1)), notes=(WINDOW_NOTE,))


def _claims(line: str) -> bool:
    return ("iter: " in line and "loss: " in line) or line.startswith(_TERMS) or "NaN at" in line


PROFILE: Final = LineProfile("detectron2", 520, _claims, _Parser)
