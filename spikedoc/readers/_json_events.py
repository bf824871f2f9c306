"""JSON records that hold no quantities but tell of a run that goes on from a saved state."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

from spikedoc.model.resumed_line import says_resumed
from spikedoc.readers._numbers import plain

# {"event": "resume", "step": 1200}: the keys under which loggers name what happened.
_WHAT: Final = frozenset({"event", "type", "kind", "msg", "message", "status", "action"})
_RESUMED: Final = re.compile(
    r"(?:training[ _-]|run[ _-])?(?:resum(?:e|ed|ing)|restart(?:ed|ing)?|(?:checkpoint|ckpt)"
    r"[ _-](?:loaded|restored|resumed)|(?:load|loaded|restore|restored|resume|resumed)"
    r"[ _-](?:checkpoint|ckpt)|(?:resum(?:e|ed)|restored)[ _-]from[ _-](?:checkpoint|ckpt))"
    r"(?:[ _-]training)?",
    re.IGNORECASE,
)
# {"resumed_from": 1200} or {"resumed_from": "out/step_1200.pt"}, alone or beside a step. A setting
# that repeats in every record is none: it stands beside quantities.
RESUMED_FROM: Final = frozenset(
    {"resumed_from", "resumed_from_step", "resume_step", "restored_from"}
)
_STEPS: Final = ("step", "global_step", "iteration", "iter", "steps")
# Numbers that may stand beside an event, as no quantity of the training.
_PLACES: Final = frozenset(
    {*_STEPS, *RESUMED_FROM, "epoch", "time", "timestamp", "ts", "wall_time", "rank"}
)
# A file that tells of more restarts than this tells of something else.
MOST_EVENTS: Final = 50


class JsonEvents:
    """Collects restarts that records tell of, each with the last step that came before it."""

    def __init__(self) -> None:
        """Start with none."""
        self._last: int | None = None
        self._found: list[tuple[int | None, str]] = []

    def see_block(self, keys: Sequence[str], last: Sequence[float]) -> None:
        """Take the step of the last of several records of numbers."""
        self._last = _step_of(dict(zip(keys, last, strict=True)), self._last)

    def see(self, record: Mapping[str, Any]) -> bool:
        """Return whether the record is such an event; any other gives the step for the next."""
        told = _told(record)
        if told is None:
            self._last = _step_of(record, self._last)
            return False
        step = _step_of(record, None)
        # What was written before it is over; further than the saved state it is written again.
        known = [one for one in (step, self._last) if one is not None]
        if len(self._found) < MOST_EVENTS:
            self._found.append((min(known, default=None), told))
        return True

    def all(self) -> tuple[tuple[int | None, str], ...]:
        """Return the events in order: the last step before each, and its words."""
        return tuple(self._found)


def _told(record: Mapping[str, Any]) -> str | None:
    """Return the words of a record that tells of a restart and holds no quantity."""
    if any(plain(cell) is not None and key not in _PLACES for key, cell in record.items()):
        return None
    for key, cell in record.items():
        if key in RESUMED_FROM and isinstance(cell, int | str) and not isinstance(cell, bool):
            return f"resumed from {cell}" if cell != "" else None
        if key not in _WHAT or not isinstance(cell, str):
            continue
        if says_resumed(cell):
            return cell
        if _RESUMED.fullmatch(cell.strip()):
            return f"resumed at this step ({key}: {cell.strip()})"
    return None


def _step_of(record: Mapping[str, Any], otherwise: int | None) -> int | None:
    named = (plain(record[key]) for key in (*_STEPS, *sorted(RESUMED_FROM)) if key in record)
    found = next((value for value in named if value is not None), None)
    return int(found) if found is not None and abs(found) < 2**53 else otherwise
