"""What was skipped in an event file, in words."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

# Damaged places described one by one in the notes.
GAPS_DESCRIBED: Final = 5


@dataclass(slots=True)
class Damage:
    """What was skipped."""

    gaps: list[tuple[int, int]] = field(default_factory=list)  # byte ranges without a valid record
    bad_records: int = 0  # records whose data do not fit their checksum
    cut_short: bool = False  # the last record ends after the end of the file

    def notes(self) -> tuple[str, ...]:
        """Return one sentence per kind of damage."""
        notes = [f"damaged from byte {a} to {b}; read on behind it" for a, b in self.gaps]
        if len(notes) > GAPS_DESCRIBED:
            total = sum(b - a for a, b in self.gaps)
            notes = [*notes[:GAPS_DESCRIBED], f"{len(notes)} damaged places, {total} bytes in all"]
        if self.bad_records:
            notes.append(f"{self.bad_records} records with a wrong checksum were left out")
        if self.cut_short:
            notes.append("the last record is cut short: the writer was stopped")
        return tuple(notes)
