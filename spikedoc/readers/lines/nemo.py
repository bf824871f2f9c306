"""NeMo: `loss=nan, reduced_train_loss=3.9, gradient_norm=1.0, global_step=563` in a bar."""

from __future__ import annotations

import math
from typing import Final

from spikedoc.readers._numbers import LARGEST_STEP
from spikedoc.readers.lines._pairs import pairs
from spikedoc.readers.lines.base import NOTHING, LineProfile, Record, Remembering
from spikedoc.text import Text

DISPLAY_NOTE: Final = Text(
    "the bar's own loss is NaN while reduced_train_loss is not: a matter of display, left out",
    "进度条自身的 loss 为 NaN，而 reduced_train_loss 正常：只是显示问题，已略去",
)
_LOSS: Final = "reduced_train_loss"
_STEP: Final = "global_step"
_IGNORED: Final = ("v_num", "it/s", "s/it", "Epoch")


class _Parser(Remembering):
    """Frames repeat a step: one record for each."""

    def __init__(self) -> None:
        self.last: int | None = None

    def take(self, line: str) -> Record | None:
        found = pairs(f"| {line}")
        values = {name: value for name, value in found.items() if name not in _IGNORED}
        if _LOSS not in values:
            return None
        number = values.pop(_STEP, float("nan"))
        step = int(number) if abs(number) < LARGEST_STEP else None
        if step is not None and step == self.last:
            return NOTHING
        self.last = step
        is_display = math.isnan(values.get("loss", 0.0)) and math.isfinite(values[_LOSS])
        if is_display:
            del values["loss"]
        return Record(values, step, notes=(DISPLAY_NOTE,) if is_display else (), is_loose=not step)


def _claims(line: str) -> bool:
    return "reduced_train_loss=" in line


PROFILE: Final = LineProfile("nemo", 590, _claims, _Parser)
