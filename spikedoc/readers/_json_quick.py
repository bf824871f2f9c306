"""Lines of flat JSON that all look alike, read without building an object for each."""

from __future__ import annotations

import json
import re
from array import array
from collections.abc import Callable, Sequence
from io import BytesIO
from typing import Any, Final

from spikedoc.readers._memory import keep_freed_memory

# What may stand where the first line has a number; float() judges the details.
_NUMBER: Final = rb"([-+.0-9eEInfityNa]++)"
_VALUE: Final = re.compile(rb"(?<=:)(\s{0,4})(?:NaN|-?Infinity|[-+.0-9eE]{1,32})(?=\s{0,4}[,}])")
# Longer lines are no flat records of numbers.
LONGEST_LINE: Final = 20_000
# From here on pandas' parser of numbers, seven times as fast as float(), repays its start-up time.
LARGE_FILE_BYTES: Final = 30_000_000


class QuickLines:
    """Learns the pattern of a line, and takes blocks of lines like it apart."""

    def __init__(self, is_plain: Callable[[tuple[str, ...]], bool], size: int = 0) -> None:
        """Only lines with keys for which `is_plain` holds are read; `size` is that of the file."""
        self.is_large = size > LARGE_FILE_BYTES
        if self.is_large:
            keep_freed_memory()
        self._is_plain = is_plain
        self._pattern: re.Pattern[bytes] | None = None
        self.keys: tuple[str, ...] = ()

    def columns(self, block: bytes) -> list[array[float]] | None:
        """Return the values of each of `keys` in a block of whole lines.

        None when a line differs from the first in keys, their order, spacing or kind of values.
        """
        if self._pattern is None or self._pattern.match(block) is None:
            self._learn(block[: block.find(b"\n") + 1])
        if self._pattern is None:
            return None
        rows = self._pattern.findall(block)
        if len(rows) != block.count(b"\n") or not block.endswith(b"\n"):
            return None
        try:
            return _by_pandas(rows) if self.is_large else _by_float(rows)
        except ValueError:
            return None

    def _learn(self, line: bytes) -> None:
        """Make the pattern of the line; none unless it is a flat object of numbers."""
        self._pattern, self.keys = None, ()
        try:
            pairs = json.loads(line[:LONGEST_LINE], object_pairs_hook=list)
        except (ValueError, RecursionError):
            return
        around = _VALUE.split(line)
        if not _is_flat(pairs) or len(around) != 2 * len(pairs) + 1:
            return
        keys = tuple(key for key, _ in pairs)
        if len(set(keys)) == len(keys) > 1 and self._is_plain(keys):
            texts = [
                re.escape(before + space)
                for before, space in zip(around[::2], around[1::2], strict=False)
            ]
            self.keys = keys
            self._pattern = re.compile(rb"(?m)^" + _NUMBER.join([*texts, re.escape(around[-1])]))


def _by_float(rows: Sequence[tuple[bytes, ...]]) -> list[array[float]]:
    return [array("d", map(float, cells)) for cells in zip(*rows, strict=True)]


def _by_pandas(rows: Sequence[tuple[bytes, ...]]) -> list[array[float]]:
    import pandas as pd

    table = BytesIO(b"\n".join(map(b",".join, rows)))
    frame = pd.read_csv(table, header=None, dtype="float64", low_memory=False)
    return [array("d", frame[place].to_numpy().tobytes()) for place in frame.columns]


def _is_flat(pairs: Any) -> bool:
    return isinstance(pairs, list) and all(
        isinstance(pair, tuple) and type(pair[1]) in (int, float) for pair in pairs
    )
