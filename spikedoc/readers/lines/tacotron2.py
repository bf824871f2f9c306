"""NVIDIA Tacotron 2 and WaveGlow: `Train loss 16 0.49 Grad Norm 1.08 2.1s/it`, `123:\\t-5.4`."""

from __future__ import annotations

import re
from typing import Final

from spikedoc.readers.lines._pairs import NUMBER, value
from spikedoc.readers.lines.base import LineProfile, Record, stateless

_TRAIN: Final = re.compile(
    rf"Train loss (\d{{1,15}}) ({NUMBER}) Grad Norm ({NUMBER})(?: (\S{{1,20}})s/it)?", re.IGNORECASE
)
_VALIDATION: Final = re.compile(rf"Validation loss (\d{{1,15}}):\s{{1,4}}({NUMBER})", re.IGNORECASE)
_WAVEGLOW: Final = re.compile(
    rf"(?:step_)?(\d{{1,15}}):\s{{1,8}}(?:loss_)?({NUMBER})", re.IGNORECASE
)


def _take(line: str) -> Record | None:
    match = _TRAIN.search(line)
    if match:
        found = {
            "loss": value(match.group(2)),
            "grad_norm": value(match.group(3)),
            "step_time": value(match.group(4) or ""),
        }
        known = {name: number for name, number in found.items() if number is not None}
        return Record(known, int(match.group(1)))
    for pattern, name in ((_VALIDATION, "val_loss"), (_WAVEGLOW, "loss")):
        match = pattern.search(line) if pattern is _VALIDATION else pattern.fullmatch(line)
        number = value(match.group(2)) if match else None
        if match and number is not None:
            return Record({name: number}, int(match.group(1)))
    return None


def _claims(line: str) -> bool:
    return (
        "Train loss " in line
        or "Validation loss" in line
        or line[:1].isdigit()
        or line.startswith("step_")
    )


PROFILE: Final = LineProfile("tacotron2", 450, _claims, stateless(_take))
