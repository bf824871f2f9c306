"""CRC-32C over many byte rows at once, by tables of numpy."""

from __future__ import annotations

from functools import cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

Crc = NDArray[np.uint32]
Bytes = NDArray[np.uint8]

# Castagnoli polynomial, bit-reversed, as record files use it.
POLYNOMIAL: Final = 0x82F63B78
# Constant added after rotating a checksum, so that checksums of checksums are no fixed points.
MASK_DELTA: Final = 0xA282EAD8
_ROTATE_RIGHT: Final = 15
_ONES: Final = 0xFFFFFFFF


@cache
def _byte_table() -> Crc:
    table = np.arange(256, dtype=np.uint32)
    for _ in range(8):
        table = np.where(table & 1, (table >> 1) ^ np.uint32(POLYNOMIAL), table >> 1)
    return table.astype(np.uint32)


# Entry n: effect on the register of one byte followed by n zero bytes; grows on demand.
_ZEROS: Final[list[Crc]] = []


def _zeros_table(count: int) -> Crc:
    table = _byte_table()
    if not _ZEROS:
        _ZEROS.append(table)
    while len(_ZEROS) <= count:
        before = _ZEROS[-1]
        _ZEROS.append(table[before & 0xFF] ^ (before >> np.uint32(8)))
    return _ZEROS[count]


@cache
def _start(length: int) -> int:
    """Checksum of `length` zero bytes before the final inversion."""
    table, register = _byte_table(), _ONES
    for _ in range(length):
        register = int(table[register & 0xFF]) ^ (register >> 8)
    return register


def mask(checksums: Crc) -> Crc:
    """Return the checksums in the rotated form stored in record files."""
    low, high = checksums >> np.uint32(_ROTATE_RIGHT), checksums << np.uint32(32 - _ROTATE_RIGHT)
    masked: Crc = (low | high) + np.uint32(MASK_DELTA)
    return masked


def of_rows(rows: Bytes, constant: NDArray[np.bool_] | None = None) -> Crc:
    """Return the masked checksum of each row; columns marked `constant` are equal in all rows.

    A checksum is the XOR of one table entry per byte, so constant columns are summed once.
    """
    count, length = rows.shape
    base = _start(length)
    register = np.zeros(count, dtype=np.uint32)
    for column in range(length):
        table = _zeros_table(length - 1 - column)
        if constant is not None and constant[column]:
            base ^= int(table[rows[0, column]])
        else:
            register ^= table[rows[:, column]]
    return mask(register ^ np.uint32(base ^ _ONES))


def fits_sum(total: Bytes, stored: Crc) -> bool:
    """Return whether the masked checksums `stored` fit rows of which `total` is the bitwise XOR.

    Checksums are linear: the XOR of those of three rows is that of the XOR of the rows, and equal
    rows cancel out. So one comparison checks all rows. A single bad row is found for certain; two
    slip through if their errors cancel out, which chance does once in 2^32.
    """
    expected = _plain(total.tobytes())
    if stored.size % 2 == 0:
        expected ^= _plain(bytes(total.size))
    return expected == int(np.bitwise_xor.reduce(unmask(stored)))


def unmask(stored: Crc) -> Crc:
    """Return the checksums whose rotated form is in the file."""
    turned = stored - np.uint32(MASK_DELTA)
    low, high = turned >> np.uint32(32 - _ROTATE_RIGHT), turned << np.uint32(_ROTATE_RIGHT)
    plain: Crc = low | high
    return plain


def _plain(data: bytes) -> int:
    table, register = _plain_table(), _ONES
    for byte in data:
        register = table[(register ^ byte) & 0xFF] ^ (register >> 8)
    return register ^ _ONES


def of_bytes(data: bytes) -> int:
    """Return the masked checksum of one byte string."""
    register = _plain(data)
    rotated = (register >> _ROTATE_RIGHT | register << (32 - _ROTATE_RIGHT)) & _ONES
    return (rotated + MASK_DELTA) & _ONES


@cache
def _plain_table() -> list[int]:
    return [int(entry) for entry in _byte_table()]
