"""The file of losses per sample, however it is given: packed, or through the standard input."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, Final

from spikedoc.errors import NO_FILE, InputError, said_by
from spikedoc.ingest.packing import packing_of, unpacked
from spikedoc.ingest.remote import spooled
from spikedoc.text import Text

STANDARD_INPUT: Final = "-"
A_FOLDER: Final = Text("a folder", "是目录")
GIVE_THE_TABLE: Final = Text(
    "give the table of losses in it; spikedoc analyze reads folders of logs",
    "请给出其中的损失表；日志目录请用 spikedoc analyze",
)
PIPE_IT: Final = Text(
    "to read from a program: … | spikedoc samples -", "要读取程序的输出：… | spikedoc samples -"
)
_LONGEST_MAGIC: Final = 16


@contextmanager
def opened(path: Path, stream: BinaryIO, notes: list[Text]) -> Iterator[Path]:
    """Give a plain file with what is at `path`, `-` being `stream`; notes say what was cut.

    Raises InputError for a folder, a pipe, a device, and what cannot be read or unpacked.
    """
    if str(path) == STANDARD_INPUT:
        with spooled(stream, "stdin") as (place, _, more):
            notes += more
            with opened(place, stream, notes) as plain:
                yield plain
        return
    if path.is_dir():
        raise InputError(path, A_FOLDER, GIVE_THE_TABLE)
    if path.exists() and not path.is_file():  # it may have no end
        raise InputError(path, NO_FILE, PIPE_IT)
    try:
        with path.open("rb") as file:
            packing = packing_of(file.read(_LONGEST_MAGIC))
    except OSError as error:
        raise InputError(path, said_by(error)) from None
    if not packing:
        yield path
        return
    with unpacked(path, packing, notes) as plain:
        yield plain
