"""Rows of a Parquet or an Arrow table of losses per sample."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from itertools import chain
from pathlib import Path
from typing import Any

from spikedoc.errors import InputError
from spikedoc.readers.parquet import HINT, NEEDS_PYARROW, UNREADABLE, batches


def parquet_rows(path: Path) -> tuple[list[str], Iterator[list[Hashable]]] | None:
    """Return the names of the columns of text and numbers, and their rows; None without rows.

    Raises InputError without pyarrow, and for a damaged file.
    """
    try:
        import pyarrow as pa
    except ImportError:
        raise InputError(path, NEEDS_PYARROW, HINT) from None
    try:
        found = batches(path)
        first = next(found, None)
        if first is None:
            return None
        places = [place for place, kind in enumerate(first.schema.types) if _is_plain(kind)]
        names = [first.schema.names[place] for place in places]
        return names, _rows(chain([first], found), places)
    except (pa.ArrowException, OSError, ValueError) as error:
        reason = str(error).splitlines()[0][:200] if str(error) else "damaged"
        raise InputError(path, UNREADABLE.fill({"reason": reason})) from None


def _rows(found: Iterator[Any], places: list[int]) -> Iterator[list[Hashable]]:
    for batch in found:
        columns = [batch.column(place).to_pylist() for place in places]
        yield from map(list, zip(*columns, strict=True))


def _is_plain(kind: Any) -> bool:
    """Whether cells of this type are names or numbers, not pictures or lists."""
    import pyarrow as pa

    types = pa.types
    if types.is_dictionary(kind):
        return _is_plain(kind.value_type)
    known = (types.is_string, types.is_large_string, types.is_integer, types.is_floating)
    return any(is_it(kind) for is_it in (*known, types.is_decimal))
