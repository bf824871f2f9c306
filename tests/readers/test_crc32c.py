"""Checksums against TensorBoard's own implementation."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from tensorboard.compat.tensorflow_stub.pywrap_tensorflow import masked_crc32c

from spikedoc.readers import _crc32c


@given(st.binary(min_size=1, max_size=300))
def test_one_byte_string(data: bytes) -> None:
    assert _crc32c.of_bytes(data) == masked_crc32c(data)


@given(st.integers(1, 80), st.data())
def test_rows_with_constant_columns(length: int, data: st.DataObject) -> None:
    head = data.draw(st.binary(min_size=length, max_size=length))
    tails = data.draw(st.lists(st.binary(min_size=8, max_size=8), min_size=1, max_size=5))
    rows = [head + tail for tail in tails]
    matrix = np.array([list(row) for row in rows], dtype=np.uint8)
    constant = np.array([True] * length + [False] * 8)
    expected = [masked_crc32c(row) for row in rows]
    assert _crc32c.of_rows(matrix, constant).tolist() == expected
    assert _crc32c.of_rows(matrix).tolist() == expected


@given(st.integers(1, 40), st.integers(1, 9), st.data())
def test_one_sum_checks_many_rows(length: int, count: int, data: st.DataObject) -> None:
    rows = [data.draw(st.binary(min_size=length, max_size=length)) for _ in range(count)]
    stored = np.array([masked_crc32c(row) for row in rows], dtype=np.uint32)
    matrix = np.array([list(row) for row in rows], dtype=np.uint8)
    assert _crc32c.fits_sum(np.bitwise_xor.reduce(matrix, axis=0), stored)
    row, column = data.draw(st.integers(0, count - 1)), data.draw(st.integers(0, length - 1))
    matrix[row, column] ^= data.draw(st.integers(1, 255))
    assert not _crc32c.fits_sum(np.bitwise_xor.reduce(matrix, axis=0), stored)


def test_published_check_value() -> None:
    # CRC-32C of "123456789" is 0xE3069283.
    plain = 0xE3069283
    rotated = ((plain >> 15) | (plain << 17)) & 0xFFFFFFFF
    assert _crc32c.of_bytes(b"123456789") == (rotated + 0xA282EAD8) & 0xFFFFFFFF
