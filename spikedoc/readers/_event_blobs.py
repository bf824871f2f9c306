"""Histograms, images and sounds: told from scalars by their keys, many records at once."""

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
# Bytes of a length: four hold 256 MB, and longer records than a chunk are skipped unseen.
_LONGEST_LENGTH: Final = 4


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
    first, length = place + 1, np.zeros(place.size, dtype=np.int64)
    more = np.ones(place.size, dtype=bool)
    for byte in range(_LONGEST_LENGTH):
        found = data[np.minimum(first, last)].astype(np.int64)
        length |= np.where(more, (found & 0x7F) << (7 * byte), 0)
        first = first + more
        more &= found >= 0x80
        if not more.any():
            break
    return opens & ~more, first, first + length
