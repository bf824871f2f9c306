"""ESPnet2: `1epoch:train:1-50batch: iter_time=0.1, loss=90.1, acc=0.1, …` and epoch results."""

from __future__ import annotations

import re
from typing import Final

from spikedoc.readers.lines._pairs import pairs
from spikedoc.readers.lines.base import LineProfile, Record, Remembering

_LINE: Final = re.compile(r"(\d{1,6})epoch:(train|valid):(\d{1,12})-(\d{1,12})batch: (.{3,3000})")
_RESULT: Final = re.compile(r"(\d{1,6})epoch results: (.{3,6000})")
_PART: Final = re.compile(r"\[(train|valid)\]([^\[]{3,3000})")


class _Parser(Remembering):
    """The step is where the stretch of batches ends, as batches of the epoch."""

    def take(self, line: str) -> Record | None:
        match = _LINE.search(line)
        if match is None:
            return _result(line)
        epoch, split, batch = match.group(1), match.group(2), int(match.group(4))
        values = pairs(match.group(5))
        if split == "valid":
            return Record(_held_out(values), None, epoch)
        return Record(values, None, epoch, batch) if values else None


def _result(line: str) -> Record | None:
    """Means over the epoch; those over the training data are printed by batch already."""
    match = _RESULT.search(line)
    if match is None:
        return None
    parts = {split: pairs(text) for split, text in _PART.findall(match.group(2))}
    trained = {
        f"train/epoch_{name}": v for name, v in parts.get("train", {}).items() if "loss" in name
    }
    return Record({**trained, **_held_out(parts.get("valid", {}))}, None, match.group(1))


def _held_out(values: dict[str, float]) -> dict[str, float]:
    return {f"valid/{name.removeprefix('val_')}": value for name, value in values.items()}


def _claims(line: str) -> bool:
    return ("epoch:" in line and "batch:" in line) or "epoch results:" in line


PROFILE: Final = LineProfile("espnet", 400, _claims, _Parser)
