"""What one column of a table holds."""

from __future__ import annotations

from dataclasses import dataclass

from spikedoc.model.run import FloatArray, IntArray


@dataclass(frozen=True, slots=True, eq=False)
class Column:
    """The cells of one column that hold a number: their row and their value."""

    rows: IntArray
    values: FloatArray
