"""Catalyst's ConsoleLogger: `train (1/8) accuracy01: 0.5 | loss: 0.67 | lr: 0.01`."""

from __future__ import annotations

import re
from typing import Final

from spikedoc.readers.lines._pairs import NUMBER, is_held_out, value
from spikedoc.readers.lines.base import LineProfile, Record, stateless

_LINE: Final = re.compile(r"([A-Za-z]\w{0,40}) \((\d{1,6})/\d{1,6}\) (.{3,4000})")
_CELL: Final = re.compile(rf"([A-Za-z][\w/@.\-]{{0,100}}): ({NUMBER})")
_BETWEEN: Final = " | "


def _take(line: str) -> Record | None:
    match = _LINE.fullmatch(line)
    if match is None:
        return None
    cells = [_CELL.fullmatch(cell.strip()) for cell in match.group(3).split(_BETWEEN)]
    if not all(cells):
        return None
    loader = match.group(1)
    # a loader is called as its maker likes: only those of held-out data give their name away
    prefix = f"{loader}/" if is_held_out(loader.replace("_", " ")) else ""
    found = {cell.group(1): value(cell.group(2)) for cell in cells if cell}
    values = {f"{prefix}{name}": number for name, number in found.items() if number is not None}
    return Record(values, None, match.group(2)) if values else None


def _claims(line: str) -> bool:
    return ") " in line and _BETWEEN in line


PROFILE: Final = LineProfile("catalyst", 465, _claims, stateless(_take))
