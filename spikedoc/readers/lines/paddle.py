"""PaddleDetection, PaddleOCR, PaddleClas, PaddleNLP: `Epoch: [0] [10/100] learning_rate: …`."""

from __future__ import annotations

import re
from typing import Final

from spikedoc.readers.lines._pairs import pairs
from spikedoc.readers.lines.base import LineProfile, Record, stateless

_DETECTION: Final = re.compile(
    r"Epoch: \[(\d{1,6})\] \[\s{0,8}(\d{1,12})/\s{0,8}(\d{1,12})\] (.{3,4000})"
)
_OCR: Final = re.compile(
    r"epoch: \[(\d{1,6})/\d{1,6}\], (?:global_step|iter): (\d{1,15}), (.{3,4000})"
)
_CLAS: Final = re.compile(
    r"\[Train\]\[Epoch (\d{1,6})/\d{1,6}\]\[Iter: (\d{1,12})/(\d{1,12})\](.{3,4000})"
)
_CLAS_EVAL: Final = re.compile(r"\[Eval\]\[Epoch (\d{1,6})\]\[Avg\](.{3,2000})")
_NLP: Final = re.compile(r"\bglobal step (\d{1,15}), epoch: \d{1,6}, batch: \d{1,12}, (.{3,2000})")
_MARKS: Final = ("ips", "batch_cost", "step/s", "[Eval][Epoch")
_IGNORED: Final = ("eta", "max_mem_reserved", "max_mem_allocated", "data_cost", "avg_reader_cost")


def _take(line: str) -> Record | None:
    for pattern in (_DETECTION, _CLAS):
        match = pattern.search(line)
        if match:
            place = (match.group(1), int(match.group(2)), int(match.group(3)))
            return Record(_values(match.group(4)), None, *place)
    match = _OCR.search(line)
    if match:
        return Record(_values(match.group(3)), int(match.group(2)))
    match = _NLP.search(line)
    if match:
        return Record(_values(match.group(2)), int(match.group(1)))
    match = _CLAS_EVAL.search(line)
    if match is None:
        return None
    values = {f"val_{n.removeprefix('val_')}": v for n, v in _values(match.group(2)).items()}
    return Record(values, None, match.group(1))


def _values(text: str) -> dict[str, float]:
    spaced = text.replace(" images/s", ",").replace(" samples/s", ",").replace(" s,", ",")
    return {name: value for name, value in pairs(spaced).items() if name not in _IGNORED}


def _claims(line: str) -> bool:
    return "poch" in line and any(mark in line for mark in _MARKS)


PROFILE: Final = LineProfile("paddle", 505, _claims, stateless(_take))
