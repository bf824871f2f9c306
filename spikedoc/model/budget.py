"""How much of a log is read and kept."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

# What the numbers of the logs that are read together may take, unless told otherwise: a tenth of it
# is more than any log of a training that was seen.
DEFAULT_MEMORY: Final = 4_000_000_000


@dataclass(frozen=True, slots=True)
class Budget:
    """Bounds on what is kept of logs."""

    points: int | None = None  # of each series; None for all
    memory: int = DEFAULT_MEMORY  # bytes that reading may take


DEFAULT: Final = Budget()
_SIZE: Final = re.compile(r"(\d{1,9}(?:\.\d{1,3})?)\s*([kmgt]?)i?b?", re.IGNORECASE)
_BYTES: Final = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9, "t": 10**12}


def size_of(text: str) -> int | None:
    """Return the bytes in a size such as `500MB` or `2G`; None when it is none."""
    match = _SIZE.fullmatch(text.strip())
    return None if match is None else int(float(match[1]) * _BYTES[match[2].lower()])
