"""The results.txt of YOLOv5's first releases, YOLOv7 and their kin: numbers without a heading."""

from __future__ import annotations

import re
from typing import Final

from spikedoc.readers._numbers import number
from spikedoc.readers.lines.base import LineProfile, Record, stateless

_LINE: Final = re.compile(
    r"\s{0,12}(\d{1,6})/\d{1,6}\s{1,12}\d{1,6}(?:\.\d{1,6})?[GM]((?:\s{1,12}[^\s]{1,24}){6,13})"
)
# The number of labels and the size of the images stand between the losses and the scores.
_TRAINED: Final = ("train/box_loss", "train/obj_loss", "train/cls_loss", "train/loss", "", "")
_TESTED: Final = (
    "metrics/precision", "metrics/recall", "metrics/mAP_0.5", "metrics/mAP_0.5:0.95",
    "val/box_loss", "val/obj_loss", "val/cls_loss",
)  # fmt: skip
# Epochs without a test, and those with one.
_WIDTHS: Final = (len(_TRAINED), len(_TRAINED) + len(_TESTED))


def _take(line: str) -> Record | None:
    match = _LINE.fullmatch(line)
    cells = [number(cell) for cell in match.group(2).split()] if match else []
    if match is None or len(cells) not in _WIDTHS or None in cells:
        return None
    named = zip((*_TRAINED, *_TESTED), cells, strict=False)
    values = {name: value for name, value in named if name and value is not None}
    return Record(values, None, match.group(1))


def _claims(line: str) -> bool:
    return "/" in line and ("G " in line or "M " in line)


PROFILE: Final = LineProfile(
    "yolo_results", 395, _claims, stateless(_take), framework="ultralytics"
)
