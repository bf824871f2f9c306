"""A file of losses per sample as arrays."""

from __future__ import annotations

import sys
from array import array
from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain, islice
from pathlib import Path
from typing import BinaryIO, Final

import numpy as np
from numpy.typing import NDArray

from spikedoc.errors import InputError, said_by
from spikedoc.readers._sample_columns import SampleColumns, asked_columns
from spikedoc.readers._sample_rows import LONGEST_LINE, numbers_of, table_in, table_of
from spikedoc.readers._sniff import decode
from spikedoc.readers.sample_losses import ROWS_LOOKED_AT
from spikedoc.samples.parquet_rows import parquet_rows
from spikedoc.samples.source import opened
from spikedoc.text import Text

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

HINT: Final = Text(
    "it needs a column with the sample, such as sample_id, and one with its loss",
    "需要一列样本（例如 sample_id）和一列它的损失",
)
NO_TABLE: Final = Text("no table of losses per sample", "不是逐样本损失的表")
NO_LOSSES: Final = Text("the table has no losses", "表中没有损失")
ONLY_TEXT: Final = Text("only a header row, or text alone", "只有表头，或全是文字")
TOO_LARGE: Final = Text("the JSON array is too large", "JSON 数组过大")
ONE_PER_LINE: Final = Text("write one object per line", "请每行写一个对象")
# An array is parsed as a whole.
LARGEST_ARRAY: Final = 1_000_000_000
PACKED_COLUMNS: Final = (b"PAR1", b"ARROW1")
LARGEST_STEP: Final = 2**53
LONGEST_NAME: Final = 200


@dataclass(frozen=True, slots=True, eq=False)
class SampleTable:
    """One loss per row; `sample` counts the names, `place` the steps (or epochs) of the rows."""

    names: tuple[str, ...]
    sample: IntArray
    losses: FloatArray
    places: IntArray  # steps or epochs in the order in which they came; empty without such a column
    place: IntArray  # of each row, an index of `places`; all zero without
    unit: str  # "step", "epoch" or ""
    left_out: int  # rows without a name or a number


def read_samples(
    path: Path, stream: BinaryIO | None = None, notes: list[Text] | None = None
) -> SampleTable:
    """Return the losses in the file, packed or not; raises InputError when it is no such table.

    `-` is the `stream`. What was cut while it was unpacked is added to `notes`.
    """
    said: list[Text] = [] if notes is None else notes
    with opened(path, stream or sys.stdin.buffer, said) as plain:
        return _read(plain, path)


def _read(plain: Path, path: Path) -> SampleTable:
    try:
        found = _table(plain)
    except OSError as error:
        raise InputError(path, said_by(error)) from None
    if found is None:
        raise InputError(path, NO_TABLE, HINT)
    names, rows = found
    head = list(islice(rows, ROWS_LOOKED_AT))
    columns = asked_columns(names, head)
    if columns is None:
        raise InputError(path, NO_TABLE, HINT)
    table = _arrays(columns, chain(head, rows))
    if not table.losses.size:
        raise InputError(path, NO_LOSSES, ONLY_TEXT)
    return table


def _table(path: Path) -> tuple[list[str], Iterator[list[Hashable]]] | None:
    with path.open("rb") as file:
        start = file.read(4096)
    if start.startswith(PACKED_COLUMNS):
        return parquet_rows(path)
    if decode(start).lstrip().startswith("["):
        if path.stat().st_size > LARGEST_ARRAY:
            raise InputError(path, TOO_LARGE, ONE_PER_LINE)
        return table_in(decode(path.read_bytes()))
    return table_of(_lines(path, start))


def _lines(path: Path, start: bytes) -> Iterator[str]:
    encoding = "utf-16" if start[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig"
    with path.open(encoding=encoding, errors="replace") as file:
        for line in iter(partial(file.readline, LONGEST_LINE), ""):
            yield line.replace("\x00", "")


def _arrays(columns: SampleColumns, rows: Iterable[Sequence[Hashable]]) -> SampleTable:
    by_step = columns.step is not None
    where = columns.step if by_step else columns.epoch
    codes: dict[str, int] = {}
    places: dict[int, int] = {}
    sample, place, losses = array("q"), array("q"), array("d")
    left_out = 0
    for row in rows:
        loss, at = numbers_of(row, (columns.loss, where))
        name = str(row[columns.sample])[:LONGEST_NAME]
        is_placed = where is None or (at is not None and abs(at) < LARGEST_STEP)
        if loss is None or name in ("", "None") or not is_placed:
            left_out += 1
            continue
        sample.append(codes.setdefault(name, len(codes)))
        place.append(places.setdefault(int(at or 0), len(places)))
        losses.append(loss)
    return SampleTable(
        tuple(codes),
        np.frombuffer(sample, dtype=np.int64),
        np.frombuffer(losses, dtype=np.float64),
        np.array([] if where is None else list(places), dtype=np.int64),
        np.frombuffer(place, dtype=np.int64),
        "" if where is None else ("step" if by_step else "epoch"),
        left_out,
    )
