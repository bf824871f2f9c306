"""nanoGPT: `iter 10: loss 2.1, time 80.1ms, mfu 3.1%`, `step 10: train loss 2.0, val loss 2.1`."""

from __future__ import annotations

import re
from typing import Final

from spikedoc.readers._numbers import number
from spikedoc.readers.lines._pairs import NUMBER
from spikedoc.readers.lines.base import LineProfile, Record, stateless
from spikedoc.text import Text

# The training loss of evaluation lines; `_text_loose` drops it beside one of the iterations.
ESTIMATE: Final = "train_loss_estimate"
ESTIMATE_NOTE: Final = Text(
    "the training loss is that of the evaluation lines: a mean over batches in evaluation mode",
    "训练损失取自评估行：在评估模式下对若干批次求得的均值",
)
EVAL_NOTE: Final = Text(
    "the train loss of evaluation lines is a mean in evaluation mode and was left out",
    "评估行中的 train loss 是评估模式下的均值，已略去",
)
_ITER: Final = re.compile(
    r"iter (\d{1,15}): loss (\S{1,40}?)(?:, time (\S{1,40}?)ms(.{0,400})|\s*$)", re.IGNORECASE
)
_EVAL: Final = re.compile(
    r"step (\d{1,15}): train loss (\S{1,40}?), val loss (\S{1,40}?)(?=,\s|\s|$)", re.IGNORECASE
)
_EXTRA: Final = re.compile(rf",\s{{0,9}}([A-Za-z][\w/]{{0,60}})[ :=]\s{{0,9}}({NUMBER})", re.I)


def _take(line: str) -> Record | None:
    match = _ITER.search(line)
    if match:
        return _iteration(match)
    match = _EVAL.search(line)
    if match is None:
        return None
    read = {ESTIMATE: number(match.group(2)), "val_loss": number(match.group(3))}
    values = {name: value for name, value in read.items() if value is not None}
    return Record(values, int(match.group(1)))


def _iteration(match: re.Match[str]) -> Record:
    loss, milliseconds = number(match.group(2)), number(match.group(3) or "")
    values = {"loss": loss} if loss is not None else {}
    if milliseconds is not None:
        values["iter_time_ms"] = milliseconds
    for extra in _EXTRA.finditer(match.group(4) or ""):
        value = number(extra.group(2))
        if value is not None:
            values[extra.group(1)] = value
    return Record(values, int(match.group(1)))


def _claims(line: str) -> bool:
    return ": loss " in line or ": train loss " in line


PROFILE: Final = LineProfile("nanogpt", 300, _claims, stateless(_take), framework="nanogpt")
