"""Paddle's `Model.fit`: `Epoch 1/3`, `step 1/4 - loss: 1.09 - 78ms/step`, `Eval begin...`."""

from __future__ import annotations

import re
from typing import Final

from spikedoc.readers.lines._pairs import pairs
from spikedoc.readers.lines.base import NOTHING, LineProfile, Record
from spikedoc.text import Text

EVAL_NOTE: Final = Text(
    "of an evaluation the last line was taken: its loss is that of the last batch, its metrics are"
    " means",
    "评估取最后一行：其中 loss 是最后一个批次的值，其他指标是均值",
)
_EPOCH: Final = re.compile(r"Epoch (\d{1,6})/\d{1,6}")
_STEP: Final = re.compile(
    r"step\s{1,6}(\d{1,12})(?:/(\d{1,12}))?(?: \[[=>.\s]{1,80}\])?( - .{3,2000}s/step)"
)
_BEGIN: Final = "Eval begin..."
_END: Final = "Eval samples:"


class _Parser:
    """Lines of an evaluation look like those of training: only the words around them differ."""

    def __init__(self) -> None:
        self.epoch, self.batch = "", 0
        self.batches: int | None = None
        self.is_evaluation = False
        self.held_out: dict[str, float] = {}

    def take(self, line: str) -> Record | None:
        head = _EPOCH.fullmatch(line)
        if head:
            left = self.end()
            self.epoch = head.group(1)
            return left  # other logs have such headings too
        if line.startswith(_BEGIN):
            self.is_evaluation = True
            return NOTHING
        if line.startswith(_END):
            return self.end() or NOTHING
        match = _STEP.fullmatch(line)
        if match is None:
            return None
        values = pairs(match.group(3))
        if self.is_evaluation:
            self.held_out = {f"val_{name}": value for name, value in values.items()}
            return NOTHING
        self.batch = int(match.group(1))
        self.batches = int(match.group(2)) if match.group(2) else None
        return Record(values, None, self.epoch, self.batch, self.batches)

    def end(self) -> Record | None:
        values, self.held_out, self.is_evaluation = self.held_out, {}, False
        if not values:
            return None
        return Record(values, None, self.epoch, self.batch, self.batches, notes=(EVAL_NOTE,))


def _claims(line: str) -> bool:
    return line.startswith(("step ", _BEGIN, _END, "Epoch "))


PROFILE: Final = LineProfile("paddle_model", 457, _claims, _Parser)
