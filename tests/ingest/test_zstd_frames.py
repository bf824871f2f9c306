"""Frames against what the zstandard package writes."""

from __future__ import annotations

import io
import random

import pytest
import zstandard

from spikedoc.ingest.zstd_frames import is_whole

NOISE = random.Random(7).randbytes(300_000)  # does not shrink: several blocks
ZEROS = bytes(600_000)  # shrinks to blocks of a repeated byte
SKIPPED = b"\x53\x2a\x4d\x18" + (5).to_bytes(4, "little") + b"12345"


def packed(content: bytes, *, checksum: bool = False, size: bool = True) -> bytes:
    packer = zstandard.ZstdCompressor(write_checksum=checksum, write_content_size=size)
    return packer.compress(content)


FILES = {
    "short": packed(b"step,loss\n1,2\n"),
    "empty content": packed(b""),
    "noise": packed(NOISE),
    "zeros": packed(ZEROS),
    "checksum": packed(NOISE, checksum=True),
    "no size": packed(NOISE, size=False),
    "two frames": packed(b"a" * 70_000) + packed(NOISE, checksum=True, size=False),
    "a frame passed over": SKIPPED + packed(b"abc") + SKIPPED,
}


@pytest.mark.parametrize("name", FILES)
def test_whole_and_cut(name: str) -> None:
    content = FILES[name]
    assert is_whole(io.BytesIO(content))
    ends = {len(SKIPPED), len(SKIPPED) + len(packed(b"abc"))} if "passed over" in name else set()
    ends |= {len(packed(b"a" * 70_000))} if name == "two frames" else set()
    cuts = {*range(1, min(60, len(content))), *range(60, len(content), 4999), len(content) - 1}
    for cut in cuts - ends:
        assert not is_whole(io.BytesIO(content[:cut])), cut
    assert all(is_whole(io.BytesIO(content[:end])) for end in ends)


def test_something_else_behind_the_last_frame() -> None:
    assert not is_whole(io.BytesIO(FILES["short"] + b"\x00"))
    assert not is_whole(io.BytesIO(b"\x50" * 100))
