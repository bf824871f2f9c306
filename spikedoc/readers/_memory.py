"""Memory of a reader that makes and drops many arrays: kept instead of asked for again."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import numpy as np

from spikedoc.errors import InputError
from spikedoc.text import Text

# What a point takes at most until its run is put together: value, step, place and time, and what
# sorting repeated steps takes on top. Of 100 million rows with one step it was 90 bytes each.
BYTES_PER_POINT: Final = 128
# What a byte of text takes once it is parsed as a whole, at most: objects of short records.
BYTES_PER_PARSED_BYTE: Final = 30

# The largest block that the C library of Linux keeps for later; see `keep_freed_memory`.
LARGEST_KEPT_BYTES: Final = 32_000_000


TOO_MUCH: Final = Text(
    "reading it may take {expected} GB, more than {memory} GB",
    "读取它可能需要 {expected} GB 内存，超过了 {memory} GB",
)
TOO_MANY_RECORDS: Final = Text(
    "more than {most} records do not fit into {memory} GB", "超过 {most} 条记录，{memory} GB 放不下"
)
ROWS_THINNED: Final = Text(
    "too long for --max-memory: {count} {count|row was|rows were} thinned out, the others stand "
    "for {count|it|them}",
    "超出 --max-memory 的限额：抽去了 {count} 行，由其余的行代表",
)
POINTS_THINNED: Final = Text(
    "too long for --max-memory: {count} {count|point was|points were} thinned out, the others "
    "stand for {count|it|them}",
    "超出 --max-memory 的限额：抽去了 {count} 个点，由其余的点代表",
)
POINTS_DROPPED: Final = Text(
    "more tags or points than are kept: {count} {count|point was|points were} left out",
    "名称或点数超出可保留的数量：略去了 {count} 个点",
)
MORE_MEMORY: Final = Text(
    "give it more with --max-memory, or cut the log", "请用 --max-memory 放宽，或截短日志"
)


def points_in(memory: int) -> int:
    """Return how many points fit into `memory` bytes."""
    return memory // BYTES_PER_POINT


def refuse_whole(path: Path, memory: int) -> None:
    """Raise InputError for a file that can only be parsed as a whole when that may be too much."""
    expected = path.stat().st_size * BYTES_PER_PARSED_BYTE
    if expected > memory:
        told = {"expected": f"{expected / 1e9:.1f}", "memory": f"{memory / 1e9:.1f}"}
        raise InputError(path, TOO_MUCH.fill(told), MORE_MEMORY)


def keep_freed_memory() -> None:
    """Let arrays of up to 32 MB reuse the memory of earlier ones.

    glibc gives blocks of 128 KB and more back to the system when they are freed, and the system
    clears each page that is asked for again: a quarter of the time of reading a table in pieces.
    Once a larger block was freed, smaller ones are kept (mallopt(3), M_MMAP_THRESHOLD). The block
    is never touched, so it takes no memory; other C libraries do not mind.
    """
    np.empty(LARGEST_KEPT_BYTES, dtype=np.uint8)
