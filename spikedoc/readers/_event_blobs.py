"""Histograms, images and sounds that are as short as scalars: told apart by their keys."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from spikedoc.model.run import IntArray
from spikedoc.readers._crc32c import Bytes
from spikedoc.readers._event_pattern import FOOTER, STEP_AT

Flags = NDArray[np.bool_]

# Keys of what may follow the tag: field number and wire type "bytes" in one byte.
_SUMMARY_KEY: Final = 0x2A
_FIRST_KEY: Final = 0x0A  # field 1: a value of the summary, the tag of a value
_BLOB_KEYS: Final = (0x22, 0x2A, 0x32)  # image, histogram, audio
# A histogram holds five doubles at least. Shorter ones may be scalars with a flipped bit.
LEAST_SIZE: Final = 100
LEAST_CONTENT: Final = 40


def blobs(data: Bytes, starts: IntArray, sizes: IntArray, widths: IntArray) -> Flags:
    """Return which records hold one histogram, image or sound and nothing else."""
    found: Flags = np.zeros(starts.size, dtype=bool)
    long = np.flatnonzero((sizes >= LEAST_SIZE) & (widths >= 0))
    if not long.size:
        return found
    end = (starts + sizes)[long] - FOOTER
    place = starts[long] + STEP_AT - 1 + widths[long] + (widths[long] > 0)
    fits, place, stop = _opened(data, place, (_SUMMARY_KEY,))
    fits &= stop == end
    opens, place, stop = _opened(data, place, (_FIRST_KEY,))
    fits &= opens & (stop == end)
    opens, _, place = _opened(data, place, (_FIRST_KEY,))
    fits &= opens
    opens, place, stop = _opened(data, place, _BLOB_KEYS)
    found[long] = fits & opens & (stop == end) & (stop - place >= LEAST_CONTENT)
    return found


def _opened(
    data: Bytes, place: IntArray, keys: tuple[int, ...]
) -> tuple[Flags, IntArray, IntArray]:
    """Whether a field with one of the keys begins at each place, and its first byte and end."""
    last = data.size - 1
    key = data[np.minimum(place, last)]
    opens: Flags = np.logical_or.reduce([key == wanted for wanted in keys])
    low = data[np.minimum(place + 1, last)].astype(np.int64)
    high = data[np.minimum(place + 2, last)].astype(np.int64)
    long = low >= 0x80  # lengths of up to two bytes: these records are short
    opens &= ~long | (high < 0x80)
    length = np.where(long, (low & 0x7F) | (high << 7), low)
    first = place + 2 + long
    return opens, first, first + length
