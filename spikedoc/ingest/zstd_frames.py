"""Whether a zstd file is whole: its decoder does not say when the last frame was cut off."""

from __future__ import annotations

from typing import BinaryIO, Final

# A frame of data, and the sixteen kinds of frames that are passed over (RFC 8878, section 3.1).
_FRAME: Final = b"\x28\xb5\x2f\xfd"
_SKIPPED: Final = b"\x2a\x4d\x18"
_SKIPPED_FIRST: Final = range(0x50, 0x60)
_MAGIC_BYTES: Final = 4
_LENGTH_BYTES: Final = 4
# Bytes of the content size and of the dictionary's number, by their flags in the descriptor.
_SIZE_BYTES: Final = (0, 2, 4, 8)
_DICTIONARY_BYTES: Final = (0, 1, 2, 4)
_SINGLE_SEGMENT: Final = 1 << 5
_CHECKSUM: Final = 1 << 2
_CHECKSUM_BYTES: Final = 4
_BLOCK_HEAD_BYTES: Final = 3
_LAST_BLOCK: Final = 1
_REPEATED_BYTE: Final = 1  # this type of block is one byte, however long what it stands for


def is_whole(file: BinaryIO) -> bool:
    """Return whether `file` ends where one of its frames ends; only headers are read."""
    end = file.seek(0, 2)
    file.seek(0)
    while file.tell() < end:
        magic = file.read(_MAGIC_BYTES)
        if magic == _FRAME:
            if not _pass_blocks(file, end):
                return False
        elif magic[1:] == _SKIPPED and magic[0] in _SKIPPED_FIRST:
            length = file.read(_LENGTH_BYTES)
            if len(length) < _LENGTH_BYTES:
                return False
            file.seek(int.from_bytes(length, "little"), 1)
        else:
            return False
    return file.tell() == end


def _pass_blocks(file: BinaryIO, end: int) -> bool:
    """Go behind the frame whose magic number was read; False when it ends before its last block."""
    descriptor = int.from_bytes(file.read(1), "little")
    is_single = bool(descriptor & _SINGLE_SEGMENT)
    size = _SIZE_BYTES[descriptor >> 6] or int(is_single)
    file.seek(int(not is_single) + _DICTIONARY_BYTES[descriptor & 3] + size, 1)
    while True:
        head = file.read(_BLOCK_HEAD_BYTES)
        if len(head) < _BLOCK_HEAD_BYTES:
            return False
        block = int.from_bytes(head, "little")
        kind, length = block >> 1 & 3, block >> 3
        file.seek(1 if kind == _REPEATED_BYTE else length, 1)
        if block & _LAST_BLOCK:
            file.seek(_CHECKSUM_BYTES if descriptor & _CHECKSUM else 0, 1)
            return file.tell() <= end
