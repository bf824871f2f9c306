"""SpeechBrain: `epoch: 1, lr: 1.0e-03 - train loss: 3.1 - valid loss: 2.9, valid CER: 20.1`."""

from __future__ import annotations

import re
from typing import Final

from spikedoc.readers.lines._pairs import pairs
from spikedoc.readers.lines.base import LineProfile, Record, stateless

_LINE: Final = re.compile(r"epoch: (\d{1,6})(,.{1,400}?)? - (.{3,1500})", re.IGNORECASE)
_TEST: Final = re.compile(r"Epoch loaded: (\d{1,6}) - (test .{3,600})")


def _take(line: str) -> Record | None:
    match = _LINE.search(line)
    if match:
        values = pairs(f"{match.group(2) or ''} - {match.group(3)}")
        return Record(values, None, match.group(1)) if values else None
    match = _TEST.search(line)
    return Record(pairs(match.group(2)), None, match.group(1)) if match else None


def _claims(line: str) -> bool:
    return " - " in line and "loss: " in line and "poch" in line


PROFILE: Final = LineProfile("speechbrain", 430, _claims, stateless(_take))
