"""XGBoost, LightGBM, CatBoost: `[5] train-rmse:0.9 eval-rmse:1.3`, `5: learn: 1.4 test: 1.5`."""

from __future__ import annotations

import re
from typing import Final

from spikedoc.readers.lines._pairs import NUMBER, value
from spikedoc.readers.lines.base import LineProfile, Record, stateless
from spikedoc.text import Text

FIRST_SET_NOTE: Final = Text(
    "validation_0, the first set given to fit, was taken for the training data",
    "validation_0 是传给 fit 的第一个数据集，已视为训练数据",
)
# What the sets are called of which the caller gave no names.
GUESSED: Final = "validation_"
_FIRST_SET: Final = "validation_0-"
# XGBoost puts a bare number and one tab before each pair; a tracker prints a time before it.
_LINE: Final = re.compile(
    r"(?:\[\d\d:\d\d:\d\d\] )?(?:\[LightGBM\] \[Info\] )?"
    r"(?:\[(\d{1,9})\]\t(?=[^\t:]{1,100}[-' ][^\t:]{0,100}:)|(\d{1,9}):\t(?=learn: |test\d?: ))"
    r"(.{3,4000})"
)
_CELL: Final = re.compile(rf"([^\t:]{{1,200}}):\s?({NUMBER})(?:\+{NUMBER})?(?:\s\(\d{{1,9}}\))?\t?")
# LightGBM's own program: [LightGBM] [Info] Iteration:5, valid_1 binary_logloss : 0.5
_PROGRAM: Final = re.compile(
    rf"\[LightGBM\] \[Info\] Iteration:(\d{{1,9}}), (\S{{1,100}}) (\S{{1,100}}) : ({NUMBER})"
)
# What home-made lines put between their values instead of a tab.
_BETWEEN: Final = (" ", "-", ",", ";", "|")
_IGNORED: Final = ("best", "total", "remaining")


def _take(line: str) -> Record | None:
    match = _LINE.fullmatch(line)
    if match is None:
        return _of_program(line)
    found = {name: value(token) for name, token in _CELL.findall(match.group(3))}
    values = {n: v for n, v in found.items() if v is not None and n not in _IGNORED}
    if not values or any(name.startswith(_BETWEEN) for name in values):
        return None
    is_guess = sum(name.startswith(GUESSED) for name in values) > 1
    notes = (FIRST_SET_NOTE,) if is_guess and any(n.startswith(_FIRST_SET) for n in values) else ()
    return Record(values, int(match.group(1) or match.group(2)), notes=notes)


def _of_program(line: str) -> Record | None:
    match = _PROGRAM.fullmatch(line)
    number = value(match.group(4)) if match else None
    if match is None or number is None:
        return None
    return Record({f"{match.group(2)}'s {match.group(3)}": number}, int(match.group(1)))


def _claims(line: str) -> bool:
    is_table = "\t" in line and ":" in line and (line[:1].isdigit() or line.startswith("["))
    return is_table or line.startswith("[LightGBM] [Info] Iteration:")


PROFILE: Final = LineProfile("boosting", 355, _claims, stateless(_take), framework="boosting")
