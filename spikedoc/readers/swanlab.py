"""SwanLab's record file, `run-<id>.swanlab`."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from spikedoc.errors import InputError
from spikedoc.readers._block_log import Losses, records
from spikedoc.readers._notes import AS_CSV, LOGGED_ANY, UNKNOWN_RECORDS
from spikedoc.readers._points import PointsBuilder
from spikedoc.readers._wire import Value, double, fields, messages, signed, text
from spikedoc.readers.base import Progress, Reader, Table
from spikedoc.text import Text

_HEAD: Final = b":SWL\xd6\xe1"
_HEAD_BYTES: Final = 7
# Version whose records were checked, written by SwanLab 0.10.
VERSION: Final = 2
# Numbers of the fields that are read: of a record, of its scalar, and of a time.
_SCALAR: Final = 13
_KEY, _STEP, _TIME, _VALUE = 1, 2, 4, 5
_NUMBER: Final = 1
_SECONDS, _NANOSECONDS = 1, 2

OTHER_VERSION: Final = Text(
    "SwanLab records of version {found}; version {known} is known",
    "SwanLab 记录的版本为 {found}，已知版本为 {known}",
)
NO_SCALARS: Final = Text("a SwanLab run without scalars", "SwanLab 训练记录中没有标量")


class SwanlabReader:
    """Reads the scalars of an offline run; the settings lie beside it in files/config.yaml."""

    @property
    def name(self) -> str:
        """Short name shown in reports."""
        return "swanlab"

    def accepts(self, path: Path, head: bytes) -> bool:  # noqa: ARG002 - the bytes tell
        """Return whether `head` is that of a SwanLab record file."""
        return head.startswith(_HEAD)

    def read(self, path: Path, progress: Progress | None = None) -> Table:
        """Return one series per key; raises InputError for another version or no scalars."""
        with path.open("rb") as file:
            version = file.read(_HEAD_BYTES)[len(_HEAD) :]
        if version != bytes([VERSION]):
            found = version[0] if version else "none"
            reason = OTHER_VERSION.fill({"found": found, "known": VERSION})
            raise InputError(path, reason, AS_CSV)
        builder, losses, odd = PointsBuilder(), Losses(), 0
        for record in records(path, _HEAD_BYTES, losses, progress):
            try:
                for scalar in messages(record, _SCALAR):
                    builder.add(*_point(scalar))
            except ValueError:
                odd += 1
        notes = [*losses.notes(), *builder.notes()]
        if odd:
            notes.append(UNKNOWN_RECORDS.fill({"count": odd}))
        series = builder.series()
        if not series:
            raise InputError(path, NO_SCALARS, LOGGED_ANY)
        return Table(series, notes=tuple(notes), framework="swanlab")


def _point(scalar: bytes) -> tuple[str, int, float, float | None]:
    """Key, step, value and time of a scalar; fields at zero are not written."""
    key, step, value = "", 0, 0.0
    wall: float | None = None
    for number, _, raw in fields(scalar):
        if number == _KEY:
            key = text(raw)
        elif number == _STEP:
            step = signed(raw)
        elif number == _TIME:
            wall = _seconds(raw)
        elif number == _VALUE and isinstance(raw, bytes):
            value = next((double(v) for n, _, v in fields(raw) if n == _NUMBER), 0.0)
    return key, step, value, wall


def _seconds(raw: Value) -> float | None:
    if not isinstance(raw, bytes):
        return None
    found = {number: signed(value) for number, _, value in fields(raw)}
    return found.get(_SECONDS, 0) + found.get(_NANOSECONDS, 0) / 1e9


READER: Final[Reader] = SwanlabReader()
