"""Losses of single samples, which are no course of training: `spikedoc samples` ranks them."""

from __future__ import annotations

from itertools import islice
from pathlib import Path
from typing import Final

from spikedoc.errors import InputError
from spikedoc.readers._sample_columns import named_columns, sample_columns
from spikedoc.readers._sample_rows import table_in, table_of
from spikedoc.readers._sniff import HEAD_BYTES, decode, first_char, is_text
from spikedoc.readers.base import Progress, Reader, Table
from spikedoc.text import Text

# Enough to see several batches.
ROWS_LOOKED_AT: Final = 2_000
TO_RANK: Final = Text(
    "to rank them: spikedoc samples {name}", "要给它们排序：spikedoc samples {name}"
)
OF_SAMPLES: Final = Text(
    "losses of single samples, not the log of a run", "逐样本的 loss，不是训练日志"
)


class SampleLossesReader:
    """Knows such a table and says what reads it: as a log it would show one sample per step."""

    @property
    def name(self) -> str:
        """Short name shown in reports."""
        return "sample_losses"

    def accepts(self, path: Path, head: bytes) -> bool:  # noqa: ARG002 - the bytes tell
        """Return whether `head` holds rows of single samples with a loss each."""
        if not is_text(head):
            return False
        text = decode(head)
        lines = text.split("\n")
        if len(head) >= HEAD_BYTES:
            lines = lines[:-1]  # cut short
        table = table_in(text) if first_char(head) == "[" else table_of(lines)
        if table is None or named_columns(table[0]) is None:
            return False
        names, rows = table
        return sample_columns(names, list(islice(rows, ROWS_LOOKED_AT))) is not None

    def read(self, path: Path, progress: Progress | None = None) -> Table:  # noqa: ARG002
        """Raise InputError: there is no course of training in it."""
        raise InputError(
            path,
            OF_SAMPLES,
            TO_RANK.fill({"name": path.name}),
        )


READER: Final[Reader] = SampleLossesReader()
