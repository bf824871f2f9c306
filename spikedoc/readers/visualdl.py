"""VisualDL's record file, `vdlrecords.<time>.log`."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, Final

from spikedoc.errors import InputError
from spikedoc.readers._notes import CUT_RECORD, LOGGED_ANY, UNKNOWN_RECORDS
from spikedoc.readers._points import PointsBuilder
from spikedoc.readers._wire import double, fields, messages, signed, text
from spikedoc.readers.base import Progress, Reader, Table
from spikedoc.text import Text

# A record is its length in 8 bytes and a message that holds values.
_LENGTH: Final = struct.Struct("<Q")
_FIRST_TAG: Final = b"meta_data_tag"
# Records of scalars are short; longer ones hold pictures or graphs and are passed over.
LONGEST_SCALAR: Final = 4_096
# No record is longer than this: behind such a length the file is damaged.
LONGEST_RECORD: Final = 1_000_000_000
# Numbers of the fields that are read: of a record, and of a value.
_VALUES: Final = 1
_STEP, _TAG, _TIME, _NUMBER = 1, 2, 3, 4
_MILLISECONDS: Final = 1000.0
DAMAGED: Final = Text(
    "damaged; what lies behind cannot be found", "文件损坏，损坏处之后的内容无法定位"
)
NO_SCALARS: Final = Text("a VisualDL file without scalars", "VisualDL 文件中没有标量")


class VisualdlReader:
    """Reads the scalars of one record file."""

    @property
    def name(self) -> str:
        """Short name shown in reports."""
        return "visualdl"

    def accepts(self, path: Path, head: bytes) -> bool:  # noqa: ARG002 - the bytes tell
        """Return whether `head` begins with the record that opens every such file."""
        if len(head) <= _LENGTH.size:
            return False
        (length,) = _LENGTH.unpack_from(head)
        return length < LONGEST_SCALAR and _FIRST_TAG in head[_LENGTH.size : _LENGTH.size + length]

    def read(self, path: Path, progress: Progress | None = None) -> Table:
        """Return one series per tag; raises InputError when the file holds no scalars."""
        builder, notes = PointsBuilder(), list[Text]()
        size, odd = path.stat().st_size, 0
        with path.open("rb") as file:
            for record in _records(file, size, notes, progress):
                try:
                    _add(record, builder)
                except ValueError:
                    odd += 1
        if odd:
            notes.append(UNKNOWN_RECORDS.fill({"count": odd}))
        series = builder.series()
        if not series:
            raise InputError(path, NO_SCALARS, LOGGED_ANY)
        return Table(series, notes=(*notes, *builder.notes()), framework="visualdl")


def _records(
    file: BinaryIO, size: int, notes: list[Text], progress: Progress | None
) -> Iterator[bytes]:
    place = 0
    while header := file.read(_LENGTH.size):
        if len(header) < _LENGTH.size:
            notes.append(CUT_RECORD)
            return
        (length,) = _LENGTH.unpack(header)
        place += _LENGTH.size + length
        if length > LONGEST_RECORD:
            notes.append(DAMAGED)
            return
        if place > size:
            notes.append(CUT_RECORD)
            return
        if length > LONGEST_SCALAR:
            file.seek(place)
            continue
        yield file.read(length)
        if progress is not None:
            progress(place, size)


def _add(record: bytes, builder: PointsBuilder) -> None:
    for value in messages(record, _VALUES):
        step, tag = 0, ""
        wall: float | None = None
        number: float | None = None
        for field, _, raw in fields(value):
            if field == _STEP:
                step = signed(raw)
            elif field == _TAG:
                tag = text(raw)
            elif field == _TIME:
                wall = signed(raw) / _MILLISECONDS
            elif field == _NUMBER:
                number = double(raw)
        if number is not None and tag.encode() != _FIRST_TAG:
            builder.add(tag, step, number, wall)


READER: Final[Reader] = VisualdlReader()
