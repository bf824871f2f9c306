"""One process that prints: its parsers with their memory, and the step it has reached."""

from __future__ import annotations

from copy import deepcopy
from dataclasses import replace
from functools import cache
from typing import Any, Final

import spikedoc.readers.lines
from spikedoc.plugins import discover
from spikedoc.readers._chinese_names import line_in_english
from spikedoc.readers._european_names import in_english as european
from spikedoc.readers._phases import phase_in, underlined
from spikedoc.readers._signs import plainly
from spikedoc.readers._text_passes import Passes
from spikedoc.readers.lines.base import NOTHING, LineParser, LineProfile, Record, Settling

Found = tuple[Record, LineProfile]
_EPOCH: Final = "epoch"
Memory = list[tuple[LineParser, dict[str, Any]]]


class UnclearError(Exception):
    """What a line says depends on more than the line."""


@cache
def profiles() -> tuple[LineProfile, ...]:
    """Return the line profiles in the order in which they are asked."""
    found: list[LineProfile] = list(discover(spikedoc.readers.lines, "PROFILE").values())
    return tuple(sorted(found, key=lambda profile: profile.order))


def _with_phase(record: Record, text: str) -> Record:
    """The record, under names of held-out data where a field of the line says it is of such."""
    word, said = phase_in(text) if record.values else ("", "")
    if not word:
        return record
    # in `phase=val_12 loss=0.5` the field's value seems to begin the name
    values = {
        name if name == _EPOCH else underlined(word, name.removeprefix(f"{said} ")): value
        for name, value in record.values.items()
    }
    return replace(record, values=values)


class Writer:
    """The parsers of one process, asked in order."""

    def __init__(self, rank: int) -> None:
        """Start with nothing read."""
        self.rank: Final = rank
        self.step: int | None = None
        self.passes: Final = Passes()
        self._parsers: list[tuple[LineProfile, LineParser]] = [(p, p.start()) for p in profiles()]

    def parse(self, text: str, *, is_drawn_over: bool) -> Found | None:
        """Return what the line says, None when it is of no profile."""
        text = european(line_in_english(plainly(text)))
        for profile, parser in self._parsers:
            record = parser.take(text) if profile.claims(text) else None
            if record is not None:
                is_mean = is_drawn_over and profile.last_frame_only
                return (NOTHING if is_mean else _with_phase(record, text)), profile
        return None

    def rehearse(self, text: str) -> Found | None:
        """Return what the line would say; raises UnclearError when a parser would remember it."""
        text = european(line_in_english(plainly(text)))
        for profile, parser in self._parsers:
            if not profile.claims(text):
                continue
            before = deepcopy(vars(parser))
            record = parser.take(text)
            changes = vars(parser) != before
            vars(parser).clear()
            vars(parser).update(before)
            if changes:
                raise UnclearError
            if record is not None:
                return _with_phase(record, text), profile
        return None

    def memory(self, text: str) -> Memory:
        """Return the parsers that look at such a line, and copies of what they remember."""
        claiming = [parser for profile, parser in self._parsers if profile.claims(text)]
        return [(parser, deepcopy(vars(parser))) for parser in claiming]

    def settled_records(self) -> list[Found]:
        """Return what is open and complete, for a line that belongs to what was printed before."""
        open_ones = [(p, profile) for profile, p in self._parsers if isinstance(p, Settling)]
        found = [(parser.settled(), profile) for parser, profile in open_ones]
        return [(record, profile) for record, profile in found if record is not None]

    def open_records(self) -> list[Found]:
        """Return what is open at the end of the file."""
        ends = [(parser.end(), profile) for profile, parser in self._parsers]
        return [(record, profile) for record, profile in ends if record is not None]
