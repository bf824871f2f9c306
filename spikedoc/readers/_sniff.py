"""First looks at a file: text or bytes, which encoding, what it starts with."""

from __future__ import annotations

import codecs
import re
from typing import Final

HEAD_BYTES: Final = 65536  # what a reader is shown to recognise a file
# Control bytes beyond these do not occur in logs, progress bars and colour codes included.
_TEXT_CONTROLS: Final = frozenset(b"\x00\t\n\r\x0b\x0c\x1b\x07\x08")
_CONTROLS: Final = bytes(c for c in range(32) if c not in _TEXT_CONTROLS)
# Share of other control bytes above which a file is called binary.
MOST_CONTROL_BYTES: Final = 0.01
LFS_POINTER: Final = b"version https://git-lfs"
# Colour and cursor sequences of terminals.
ANSI: Final = re.compile(r"\x1b(?:\[[0-9;?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[@-Z\\-_])")
_UTF16_BOMS: Final = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


def is_text(head: bytes) -> bool:
    """Return whether `head` looks like text; NUL padding and colour codes may occur."""
    if head.startswith(_UTF16_BOMS):
        return True
    body = head.replace(b"\x00", b"")
    if not body:
        return False
    controls = len(body) - len(body.translate(None, _CONTROLS))
    return controls <= MOST_CONTROL_BYTES * len(body)


def decode(data: bytes) -> str:
    """Return the text of `data` without BOM and NULs; bytes that are no UTF-8 become U+FFFD."""
    if data.startswith(_UTF16_BOMS):
        return data.decode("utf-16", errors="replace").replace("\x00", "")
    return data.replace(b"\x00", b"").decode("utf-8-sig", errors="replace")


def first_char(head: bytes) -> str:
    """Return the first character of `head` that is not white space; empty when there is none."""
    return decode(head[:4096]).lstrip()[:1]
