"""build-nanogpt's log.txt: `250 train 3.5`, `250 val 3.4`, `250 hella 0.29`."""

from __future__ import annotations

import re
from typing import Final

from spikedoc.readers._numbers import number
from spikedoc.readers.lines.base import LineProfile, Record, stateless

_LINE: Final = re.compile(r"(\d{1,15}) (train|val|hella) (\S{1,40})")
_NAMES: Final = {"train": "train_loss", "val": "val_loss", "hella": "hella"}


def _take(line: str) -> Record | None:
    match = _LINE.fullmatch(line)
    value = number(match.group(3)) if match else None
    if match is None or value is None:
        return None
    return Record({_NAMES[match.group(2)]: value}, int(match.group(1)))


def _claims(line: str) -> bool:
    return " train " in line or " val " in line or " hella " in line


PROFILE: Final = LineProfile("build_nanogpt", 310, _claims, stateless(_take))
