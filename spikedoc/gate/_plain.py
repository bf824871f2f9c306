"""Text from a log made safe for the machines of a CI system."""

from __future__ import annotations

import re
from pathlib import Path, PurePosixPath
from typing import Final

# XML 1.0 allows no other control characters, and no lone surrogates or non-characters.
NOT_XML: Final = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
# Escape sequences, control characters and direction marks, which would act on whoever reads a log.
ACTING: Final = re.compile(
    "\x1b\\[[0-?]*[ -/]*[@-~]?"
    "|[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2066-\u2069\ufeff]"
)
LONGEST: Final = 4_000


def line(text: str) -> str:
    """Return text as one line that does nothing but stand there."""
    return " ".join(ACTING.sub("", NOT_XML.sub("\N{REPLACEMENT CHARACTER}", text)).split())[
        :LONGEST
    ]


def relative(path: str) -> str:
    """Return a path as CI systems take it: relative to where we are, with slashes, or its name."""
    pure = Path(path)
    if "://" in path or path == "-":
        return line(path.rpartition("/")[2] or "stdin")
    try:
        pure = pure.resolve().relative_to(Path.cwd())
    except (ValueError, OSError, RuntimeError):
        return line(pure.name or "log")
    return line(str(PurePosixPath(*pure.parts))) or "log"
