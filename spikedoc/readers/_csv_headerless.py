"""Tables without a header: which column is the step."""

from __future__ import annotations

import numpy as np

from spikedoc.readers._column import Column
from spikedoc.readers._columns import STEP
from spikedoc.readers._csv_layout import Layout


def with_position_step(
    table: tuple[dict[str, Column], int], layout: Layout
) -> tuple[dict[str, Column], int]:
    """Return the table; without names the first column of rising whole numbers is the step."""
    columns, row_count = table
    if layout.header:
        return table
    step = next((tag for tag, column in columns.items() if _rises(column, row_count)), None)
    return {STEP if tag == step else tag: c for tag, c in columns.items()}, row_count


def _rises(column: Column, row_count: int) -> bool:
    values = column.values
    if values.size < row_count or not np.isfinite(values).all():
        return False
    return bool(np.all(values == np.round(values)) and np.all(np.diff(values) > 0))
