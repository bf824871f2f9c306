"""The end of a table that is still being written, or was cut off: is its last row whole?"""

from __future__ import annotations

import io
import re
from typing import BinaryIO, Final

from spikedoc.readers._csv_layout import BLANK, cells_of
from spikedoc.readers._numbers import ending, is_shortened
from spikedoc.text import Text

# The last rows of a table with thousands of columns lie within this many characters.
END_CHARS: Final = 1_000_000
# Writers hand over text in blocks of this many bytes, or a multiple of it.
WRITE_BLOCK: Final = 4096
# Rows before the last one that are looked at for a number in the last column.
ROWS_LOOKED_AT: Final = 50
BLOCK_NOTE: Final = Text(
    "the last row ends with a block of the writer and was left out",
    "最后一行恰在写入块的末尾截止，可能不完整，已略去",
)
CUT_NOTE: Final = Text("the last row is cut short and was left out", "最后一行不完整，已略去")
_LINE_ENDS: Final = re.compile(r"\r\n|\n|\r")
_AROUND_A_NUMBER: Final = "\"'% "
# Bytes that pandas is given at a time.
BUFFER_BYTES: Final = 1_000_000


def cut_row(end: str, size: int, delimiter: str) -> tuple[int, Text | None]:
    """Return the length of a last row that may be cut, and a note; 0 when all rows are whole.

    `end` is the end of a file of `size` bytes. A row is whole when its line ends. Else it must have
    as many cells as the row before, and a last number that is no shorter: `0.1` may be all that is
    written yet of `0.125`.
    """
    if end.endswith(("\n", "\r")):
        return 0, None
    lines = _LINE_ENDS.split(end)
    last = lines.pop()
    rows = [line for line in lines[-ROWS_LOOKED_AT:] if line.strip()]
    if not last.strip() or not rows:
        return 0, None
    if size % WRITE_BLOCK == 0:
        return len(last), BLOCK_NOTE
    return (len(last), CUT_NOTE) if _is_cut(last, rows, delimiter) else (0, None)


def _is_cut(last: str, rows: list[str], delimiter: str) -> bool:
    cells, before = _cells(last, delimiter), [_cells(row, delimiter) for row in rows]
    if len(cells) < len(before[-1]):
        return True
    cell = cells[-1].strip(_AROUND_A_NUMBER)
    found = ending(cell)
    if (
        found is None
    ):  # `nan` is whole; a sign, or nothing where the row before has a number, is not
        has_word = any(letter.isalpha() for letter in cell)
        return not has_word and ending(before[-1][-1].strip(_AROUND_A_NUMBER)) is not None
    endings = (ending(row[-1].strip(_AROUND_A_NUMBER)) for row in reversed(before))
    usual = next((one for one in endings if one is not None), None)
    return usual is not None and is_shortened(found, usual)


def _cells(line: str, delimiter: str) -> list[str]:
    return (line.split() if delimiter == BLANK else cells_of(line, delimiter)) or [""]


class Beginning(io.RawIOBase):
    """The first bytes of a file; what a writer adds while it is read does not show."""

    def __init__(self, file: BinaryIO, size: int) -> None:
        """Read `size` bytes of the file."""
        self._file = file
        self._left = size

    def readable(self) -> bool:
        """Return True."""
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        """Fill the buffer; returns how many bytes were read, 0 at the end."""
        count = self._file.readinto(buffer[: min(len(buffer), self._left)])  # type: ignore[attr-defined]
        self._left -= count
        return int(count)


def whole_rows_of(file: BinaryIO, size: int, delimiter: str) -> tuple[BinaryIO, Text | None]:
    """Return the first `size` bytes of the file without a last row that may be cut, and a note."""
    file.seek(max(0, size - END_CHARS))
    # the signs that matter are ASCII, so that a character may stand for a byte
    length, note = cut_row(file.read(size - file.tell()).decode("latin-1"), size, delimiter)
    file.seek(0)
    return io.BufferedReader(Beginning(file, size - length), BUFFER_BYTES), note
