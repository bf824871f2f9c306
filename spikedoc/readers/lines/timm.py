"""timm: `Train: 0 [  50/1251 (  4%)]  Loss: 6.9 (6.9)  Time: …  LR: 1e-6`, `Test: [  10/48]  …`."""

from __future__ import annotations

import re
from typing import Final

from spikedoc.readers.lines._pairs import pairs
from spikedoc.readers.lines.base import LineProfile, Record, Remembering

_TRAIN: Final = re.compile(
    r"Train: (\d{1,6}) \[\s{0,8}(\d{1,12})/(\d{1,12}) \(\s{0,3}\d{1,3}%\)\]\s{1,4}(.{3,1000})"
)
_TEST: Final = re.compile(r"Test(?: \(EMA\))?: \[\s{0,8}(\d{1,12})/(\d{1,12})\]\s{1,4}(.{3,1000})")
# In test lines the number in brackets is the mean so far; the last line has that of all.
_MEAN: Final = re.compile(r"([A-Za-z][\w@]{0,20}):\s{1,8}\S{1,20}\s{1,4}\(\s{0,6}([^)\s]{1,20})\)")
_IGNORED: Final = ("Time", "Data", "DataTime")


class _Parser(Remembering):
    def __init__(self) -> None:
        self.epoch = ""

    def take(self, line: str) -> Record | None:
        match = _TRAIN.search(line)
        if match:
            self.epoch, batch, batches, text = match.groups()
            values = {n: v for n, v in pairs(text).items() if n not in _IGNORED}
            return Record(values, None, self.epoch, int(batch), int(batches) + 1)
        match = _TEST.search(line)
        if match is None or not self.epoch:
            return None
        if match.group(1) != match.group(2):
            return Record()
        means = _MEAN.sub(r"\1: \2", match.group(3))
        values = {f"val_{n}": v for n, v in pairs(means).items() if n not in _IGNORED}
        return Record(values, None, self.epoch)


def _claims(line: str) -> bool:
    return "Train: " in line or ("Test" in line and ": [" in line)


PROFILE: Final = LineProfile("timm", 530, _claims, _Parser)
