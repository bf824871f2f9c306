"""Marian: `Ep. 1 : Up. 100 : Sen. 46,750 : Cost 8.14 : Time 35.20s : … : gNorm 2.1 : L.r. 3e-04`.

Newer releases show the counts behind the cost: `Cost 8.14 * 411,222 @ 1,024 after 41,122,200`.
"""

from __future__ import annotations

import re
from typing import Final

from spikedoc.readers.lines._pairs import NUMBER, value
from spikedoc.readers.lines.base import LineProfile, Record, stateless

_PLACE: Final = r"Ep\. (\d{1,9}(?:\.\d{1,9})?) : Up\. (\d[\d,]{0,15}) : "
_UPDATE: Final = re.compile(rf"{_PLACE}Sen\. [\d,]{{1,20}} : Cost ({NUMBER})")
_AFTER: Final = {
    "grad_norm": re.compile(rf" : gNorm ({NUMBER})"),
    "lr": re.compile(rf" : L\.r\. ({NUMBER})"),
}
_VALID: Final = re.compile(rf"\[valid\] {_PLACE}([\w-]{{1,40}}) : ({NUMBER}) : ")
# The cost of the held-out set under the names it has there; the others are scores.
_COSTS: Final = frozenset({"cross-entropy", "ce-mean", "ce-mean-words", "ce-rescore"})


def _take(line: str) -> Record | None:
    match = _UPDATE.search(line)
    if match:
        found = {"loss": value(match[3])}
        for name, pattern in _AFTER.items():
            behind = pattern.search(line, match.end())
            found[name] = value(behind[1]) if behind else None
        return Record({n: v for n, v in found.items() if v is not None}, _count(match[2]))
    match = _VALID.search(line)
    number = value(match[4]) if match else None
    if match is None or number is None:
        return None
    name = "val_loss" if match[3] in _COSTS else f"val/{match[3]}"
    return Record({name: number}, _count(match[2]))


def _count(token: str) -> int:
    return int(token.replace(",", ""))


def _claims(line: str) -> bool:
    return " : Up. " in line


PROFILE: Final = LineProfile("marian", 436, _claims, stateless(_take))
