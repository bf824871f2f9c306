"""Megatron-LM, Megatron-DeepSpeed, GPT-NeoX: `iteration 10/ 100 | lm loss: 1.2E+00 | …`."""

from __future__ import annotations

import re
from typing import Final

from spikedoc.readers.lines._pairs import value
from spikedoc.readers.lines.base import LineProfile, Record, Remembering
from spikedoc.text import Text

NAN_NOTE: Final = Text(
    "a line without the loss that counts NaN iterations stands for a loss of NaN: Megatron prints "
    "a loss only when it is positive",
    "计有 NaN 迭代却没有 loss 的行视为 loss 为 NaN：Megatron 只在 loss 为正时打印它",
)
_ITERATION: Final = re.compile(r"\biteration\s{1,20}(\d{1,15})/\s{0,20}(\d{1,15})\s{0,5}\|")
_VALIDATION: Final = re.compile(
    r"(validation|test|valid) loss at (?:iteration (\d{1,15})|the end of training)"
    r"[^|]{0,80}\|(.{3,2000})"
)
_FIELD: Final = re.compile(r"([A-Za-z][^|:]{0,80}):\s{0,12}(\S{1,30})")
_NANS: Final = "number of nan iterations"
_LOSSES: Final = ("lm loss", "lm_loss")


class _Parser(Remembering):
    def __init__(self) -> None:
        self.loss = ""  # the name of the loss in this log

    def take(self, line: str) -> Record | None:
        match = _ITERATION.search(line)
        if match is None:
            return _validation(line)
        values = _fields(line)
        notes: tuple[Text, ...] = ()
        self.loss = self.loss or next((name for name in values if name in _LOSSES), "")
        has_loss = any("loss" in name and "scale" not in name for name in values)
        if not has_loss and values.get(_NANS, 0.0) > 0:
            values[self.loss or _LOSSES[0]] = float("nan")
            notes = (NAN_NOTE,)
        total = int(match.group(2))
        return Record(values, int(match.group(1)), notes=notes, config={"total_steps": total})


def _fields(text: str) -> dict[str, float]:
    found = {}
    for field in text.split("|"):
        match = _FIELD.search(field)
        number = value(match.group(2).rstrip("TFLOPS")) if match else None
        if match and number is not None:
            found[match.group(1).strip()] = number
    return found


def _validation(line: str) -> Record | None:
    match = _VALIDATION.search(line)
    if match is None:
        return None
    prefix = "test" if match.group(1) == "test" else "validation"
    found = {}
    for name, number in _fields(match.group(3)).items():
        short = name.replace(" value", "").replace("_value", "")
        found[f"{prefix} {short.replace('lm loss PPL', 'ppl').replace('lm_loss_ppl', 'ppl')}"] = (
            number
        )
    return Record(found, int(match.group(2)) if match.group(2) else None)


def _claims(line: str) -> bool:
    return "|" in line and ("iteration" in line or "loss at" in line)


PROFILE: Final = LineProfile("megatron", 120, _claims, _Parser, framework="megatron")
