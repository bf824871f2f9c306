"""Catalyst's ConsoleLogger: `train (1/8) accuracy01: 0.5 | loss: 0.67 | lr: 0.01`."""

from __future__ import annotations

import re
from typing import Final

from spikedoc.readers.lines._pairs import NUMBER, is_held_out, value
from spikedoc.readers.lines.base import NOTHING, LineProfile, Record, Remembering

_LINE: Final = re.compile(r"(?:\* )?([A-Za-z]\w{0,40}) \((\d{1,6})/\d{1,6}\) (.{3,4000})")
_CELL: Final = re.compile(rf"([A-Za-z][\w/@.\-]{{0,100}}): ({NUMBER})")
_BETWEEN: Final = " | "
# What closes an epoch; it may repeat the learning rate of the lines above.
_CLOSING: Final = "* Epoch ("
_EPOCH: Final = "poch"
_NUMBERED: Final = re.compile(r"poch\W{1,4}\d")  # Epoch 3, epoch: 3


class _Parser(Remembering):
    def __init__(self) -> None:
        self.epoch = 0
        self.seen: dict[str, str] = {}  # names of this epoch, and the loader that gave them
        self.is_other = False  # epochs are told in another way: (1/8) counts something else

    def take(self, line: str) -> Record | None:
        match = _LINE.fullmatch(line)
        if match is None or (match.group(1).lower() == "epoch" and not line.startswith(_CLOSING)):
            is_numbered = _NUMBERED.search(line) is not None
            self.is_other |= is_numbered and not line.startswith(_CLOSING)
            return None
        loader, epoch, cells = match.group(1), int(match.group(2)), match.group(3)
        found = _numbers(cells)
        if not found or (_BETWEEN not in cells and not self._is_next(epoch)):
            return None
        is_closing = line.startswith("*")
        if epoch != self.epoch or (loader in self.seen.values() and not is_closing):
            self.seen = {n: o for n, o in self.seen.items() if epoch == self.epoch and o != loader}
        self.epoch = epoch
        values = self._named(loader, found, is_closing=is_closing)
        return Record(values, None, match.group(2)) if values else NOTHING

    def _is_next(self, epoch: int) -> bool:
        """Whether the number may be an epoch: a line of one cell may be of a batch as well."""
        return not self.is_other and epoch in (1, self.epoch, self.epoch + 1)

    def _named(self, loader: str, found: dict[str, float], *, is_closing: bool) -> dict[str, float]:
        """The values by name; of two training loaders the second one keeps its own."""
        if is_closing:
            return {name: value for name, value in found.items() if name not in self.seen}
        # a loader is called as its maker likes: only those of held-out data give their name away
        is_apart = is_held_out(loader.replace("_", " ")) or any(name in self.seen for name in found)
        named = {f"{loader}/{name}" if is_apart else name: v for name, v in found.items()}
        self.seen.update(dict.fromkeys(named, loader))
        return named


def _numbers(text: str) -> dict[str, float]:
    """The cells of a line, none where one of them is no name and number."""
    cells = [_CELL.fullmatch(cell.strip()) for cell in text.split(_BETWEEN)]
    if not all(cells):
        return {}
    found = {cell.group(1): value(cell.group(2)) for cell in cells if cell}
    return {name: number for name, number in found.items() if number is not None}


def _claims(line: str) -> bool:
    return ") " in line or _EPOCH in line


PROFILE: Final = LineProfile("catalyst", 465, _claims, _Parser)
