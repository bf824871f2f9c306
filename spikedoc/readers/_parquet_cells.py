"""Cells of Parquet and Arrow columns to numbers."""

from __future__ import annotations

from typing import Any

import numpy as np

from spikedoc.readers._column import Column
from spikedoc.readers._numbers import numbers


def column_of(values: Any) -> Column | None:
    """Return the numbers of a column, None for one of another kind; an empty cell is missing."""
    import pyarrow as pa

    kind = values.type
    if pa.types.is_string(kind) or pa.types.is_large_string(kind):
        at, found = numbers(["" if cell is None else cell for cell in values.to_pylist()])
        return Column(at, found)
    if pa.types.is_timestamp(kind):
        values = values.cast(pa.timestamp("us")).cast(pa.int64())
        scale = 1e-6
    elif pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind):
        scale = 1.0
    else:
        return None
    valid = np.asarray(values.is_valid(), dtype=np.bool_)
    filled = values.drop_null().cast(pa.float64(), safe=False)
    found = filled.to_numpy(zero_copy_only=False).astype(np.float64)
    with np.errstate(invalid="ignore"):  # signalling NaNs are values like others
        return Column(np.flatnonzero(valid).astype(np.int64), found * scale)


def may_hold_numbers(kind: Any) -> bool:
    """Return whether columns of this type are read."""
    import pyarrow as pa

    types = pa.types
    known = (
        types.is_string, types.is_large_string, types.is_integer, types.is_floating,
        types.is_decimal, types.is_timestamp,
    )  # fmt: skip
    return any(is_it(kind) for is_it in known)
