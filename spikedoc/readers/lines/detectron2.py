"""Detectron2 and maskrcnn-benchmark: `eta: 0:10:00  iter: 19  total_loss: 1.2  loss_cls: …`."""

from __future__ import annotations

import re
from typing import Final

from spikedoc.readers.lines._pairs import pairs
from spikedoc.readers.lines.base import LineProfile, Record, stateless
from spikedoc.text import Text

WINDOW_NOTE: Final = Text(
    "values are medians over a window of iterations: single spikes are flattened",
    "数值是一段迭代窗口的中位数：单个尖峰会被抹平",
)
_ITER: Final = re.compile(r"\biter: (\d{1,15})\s{2,4}(.{3,8000})")
_IGNORED: Final = ("iter", "max_mem", "max mem", "eta", "last_data_time", "last_time")


def _take(line: str) -> Record | None:
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
    return "iter: " in line and "loss: " in line


PROFILE: Final = LineProfile("detectron2", 520, _claims, stateless(_take))
