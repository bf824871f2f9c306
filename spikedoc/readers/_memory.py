"""Memory of a reader that makes and drops many arrays: kept instead of asked for again."""

from __future__ import annotations

from typing import Final

import numpy as np

# The largest block that the C library of Linux keeps for later; see `keep_freed_memory`.
LARGEST_KEPT_BYTES: Final = 32_000_000


def keep_freed_memory() -> None:
    """Let arrays of up to 32 MB reuse the memory of earlier ones.

    glibc gives blocks of 128 KB and more back to the system when they are freed, and the system
    clears each page that is asked for again: a quarter of the time of reading a table in pieces.
    Once a larger block was freed, smaller ones are kept (mallopt(3), M_MMAP_THRESHOLD). The block
    is never touched, so it takes no memory; other C libraries do not mind.
    """
    np.empty(LARGEST_KEPT_BYTES, dtype=np.uint8)
