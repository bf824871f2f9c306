"""Printed lines that tell of a run that goes on from a saved state."""

from __future__ import annotations

import re
from typing import Final

# "Resuming from checkpoint out/step_3000.pt", "resumed training from …"; transformers.Trainer
# prints "Continuing training from global step 2000", Lightning "Restored all states from the
# checkpoint at …". A setting (resume_from_checkpoint=None) is no such line.
RESUMED: Final = re.compile(
    r"\b(?:resum(?:ed|ing)|continu(?:ed|ing) training|restor(?:ed|ing) (?:all )?states)\b"
    r".{0,40}\bfrom\b",
    re.IGNORECASE,
)


def says_resumed(line: str) -> bool:
    """Return whether a printed line says that a run goes on from a saved state."""
    return RESUMED.search(line) is not None
