"""Bytes of a printed log to clean lines: bars drawn over, colours, NULs, unfinished ends."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO, Final

from spikedoc.readers._sniff import ANSI, decode

# A line longer than this is cut: records are short, dumped arrays are not.
LONGEST_LINE: Final = 16_384
# Bars go back to the start of the line by a carriage return or by as many backspaces.
_REDRAW: Final = re.compile(rb"\r|\x08+")
_SPECIAL: Final = re.compile(rb"[\r\x08\x1b\x00]|\xef\xbb\xbf|\xff\xfe")


@dataclass(frozen=True, slots=True)
class CleanLine:
    """A line, or one frame of a bar, without white space around it."""

    text: str
    size: int  # bytes read for it
    is_drawn_over: bool = False  # a later frame took its place
    is_finished: bool = True  # False for the last line of a file without a line end
    plain: bytes = b""  # the line as it is in the file, where it is no more than a line


def clean_lines(file: BinaryIO) -> Iterator[CleanLine]:
    """Yield the lines of `file`, frames of bars apart; the rest of an overlong line is dropped."""
    kept, is_rest = b"", False
    while raw := file.readline(LONGEST_LINE):
        ends = raw.endswith(b"\n")
        if is_rest and not _REDRAW.search(raw):
            is_rest = not ends
            yield CleanLine("", len(raw))
            continue
        if ends and not kept and not is_rest and not _SPECIAL.search(raw):
            text = raw.decode("utf-8", errors="replace").strip()
            yield CleanLine(text, len(raw), plain=raw)
            continue
        frames = _REDRAW.split(kept + raw.rstrip(b"\r\n") if ends else kept + raw)
        frames = frames[1:] if is_rest else frames
        is_long = not ends and len(raw) == LONGEST_LINE
        # The last frame goes on in what is read next, or begins there.
        goes_on = is_long and len(frames) > 1 and len(frames[-1]) < LONGEST_LINE
        kept = frames.pop() if goes_on else b""
        is_rest = is_long and not goes_on
        yield from _frames(frames, len(raw), finished=ends or is_long)
        if not (ends or is_long):
            return  # the end as it was then: what is written meanwhile goes on inside this line
    if kept:
        yield CleanLine(_clean(kept), 0, is_finished=False)


def _frames(frames: list[bytes], size: int, *, finished: bool) -> Iterator[CleanLine]:
    texts = [_clean(frame) for frame in frames]
    last = max((i for i, text in enumerate(texts) if text), default=-1)
    yield CleanLine("", size)
    for index, text in enumerate(texts):
        if text:
            yield CleanLine(text, 0, index < last, finished or index < last)


def _clean(frame: bytes) -> str:
    text = decode(frame)
    return (ANSI.sub("", text) if "\x1b" in text else text).strip()
