"""OpenCLIP: `Train Epoch: 0 [ 2560/100000 (3%)] … LR: 5e-6 Logit Scale: 14 Loss: 5.1`."""

from __future__ import annotations

import re
from typing import Final

from spikedoc.readers.lines._pairs import pairs
from spikedoc.readers.lines.base import LineProfile, Record, stateless

SAMPLES_NOTE: Final = "steps are samples seen: the lines count samples, not batches"
_TRAIN: Final = re.compile(
    r"Train Epoch: (\d{1,6}) \[\s{0,12}(\d{1,15})/\s{0,4}(\d{1,15}) \(\d{1,3}%\)\] (.{3,1000})"
)
_EVAL: Final = re.compile(r"Eval Epoch: (\d{1,6}) (?!\[)(.{3,1000})")


def _take(line: str) -> Record | None:
    match = _TRAIN.search(line)
    if match:
        values = pairs(match.group(4).replace("/s/gpu", ","))
        values = {n: v for n, v in values.items() if not n.startswith(("Data", "Batch"))}
        place = (match.group(1), int(match.group(2)), int(match.group(3)))
        return Record(values, None, *place, notes=(SAMPLES_NOTE,)) if values else None
    match = _EVAL.search(line)
    values = pairs(match.group(2)) if match else {}
    held_out = {
        name if "val" in name else f"val_{name}": value
        for name, value in values.items()
        if name.lower().removeprefix("val_") != "epoch"
    }
    return Record(held_out, None, match.group(1)) if match and held_out else None


def _claims(line: str) -> bool:
    return ("Train Epoch: " in line and "Logit Scale" in line) or "Eval Epoch: " in line


PROFILE: Final = LineProfile("open_clip", 540, _claims, stateless(_take))
