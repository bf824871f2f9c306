"""Text from a log made safe for the machines of a CI system."""

from __future__ import annotations

import re
from pathlib import Path, PurePosixPath
from typing import Final

from spikedoc.cleaning import one_line
from spikedoc.gate.place import root_of

# XML 1.0 allows no other control characters, and no lone surrogates or non-characters.
NOT_XML: Final = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
LONGEST: Final = 4_000


def line(text: str) -> str:
    """Return text as one line that does nothing but stand there, fit for XML."""
    return NOT_XML.sub("\N{REPLACEMENT CHARACTER}", one_line(text, LONGEST))


def relative(path: str) -> str:
    """Return a path as CI systems take it: from the root of the repository, or its name alone.

    A home folder, which runs show as `~`, is that of the user.
    """
    pure = Path(path)
    if "://" in path or path == "-":
        return line(path.rpartition("/")[2] or "stdin")
    try:
        whole = pure.expanduser().resolve()
        pure = whole.relative_to(root_of(whole))
    except (ValueError, OSError, RuntimeError):
        return line(pure.name or "log")
    return line(str(PurePosixPath(*pure.parts))) or "log"
