"""nnU-Net v2: `Epoch 3`, then `train_loss -0.5`, `val_loss -0.4`, `Pseudo dice [0.8, 0.7]`."""

from __future__ import annotations

import re
from typing import Final

from spikedoc.readers.lines._pairs import NUMBER, value
from spikedoc.readers.lines.base import LineProfile, Record, Remembering

_EPOCH: Final = re.compile(r"(?:^|: )Epoch (\d{1,6})\s*$")
_FIELD: Final = re.compile(
    rf"(?:^|: )(train_loss|val_loss|Current learning rate:|Epoch time:) ({NUMBER})(?: s)?\s*$", re.I
)
_DICE: Final = re.compile(r"Pseudo dice \[(.{1,4000})\]")
_DICE_VALUE: Final = re.compile(rf"(?:np\.float32\()?({NUMBER})\)?", re.IGNORECASE)
_NAMES: Final = {"Current learning rate:": "lr", "Epoch time:": "epoch_time"}


class _Parser(Remembering):
    def __init__(self) -> None:
        self.epoch = ""

    def take(self, line: str) -> Record | None:
        head = _EPOCH.search(line)
        if head:
            self.epoch = head.group(1)
            return None  # other home-made logs have such headings too
        if not self.epoch:
            return None
        match = _FIELD.search(line)
        number = value(match.group(2)) if match else None
        if match and number is not None:
            return Record({_NAMES.get(match.group(1), match.group(1)): number}, None, self.epoch)
        match = _DICE.search(line)
        found = (
            [value(t) for t in _DICE_VALUE.findall(match.group(1).replace("float32", ""))]
            if match
            else []
        )
        known = [number for number in found if number is not None]
        if not known:
            return None
        return Record({"pseudo_dice": sum(known) / len(known)}, None, self.epoch)


def _claims(line: str) -> bool:
    return "Epoch " in line or "_loss " in line or "learning rate: " in line or "dice [" in line


PROFILE: Final = LineProfile("nnunet", 570, _claims, _Parser)
