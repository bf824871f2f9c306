"""What is said of files that could not be read."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final

from spikedoc.errors import InputError
from spikedoc.ingest.discovery import Found

# Failures told one by one in the notes.
FAILURES_TOLD: Final = 5


def nothing_in(path: Path, found: Found) -> InputError:
    """Return the error for a path that gave no run."""
    if found.failures:
        first = found.failures[0]
        if len(found.failures) == 1:
            return first
        name = Path(first.path).name
        reason = f"none of {len(found.failures)} logs can be read; {name}: {first.reason}"
        return InputError(path, reason, first.hint)
    if not found.seen:
        return InputError(path, "an empty folder")
    if path.is_file():
        return InputError(path, "no series of numbers in it", "is this the log of a training?")
    seen = ", ".join(f"{count} {suffix}" for suffix, count in found.seen.most_common(FAILURES_TOLD))
    told = "; ".join([f"files seen: {seen}", *found.notes[:FAILURES_TOLD]])
    return InputError(path, "no training log in this folder", told)


def told_failures(failures: Sequence[InputError]) -> tuple[str, ...]:
    """Return a note on each file that could not be read, on the first few of many."""
    told = [f"{Path(e.path).name}: {e.reason}; left out" for e in failures[:FAILURES_TOLD]]
    if len(failures) > FAILURES_TOLD:
        told.append(f"{len(failures)} files in all could not be read")
    return tuple(told)
