"""Bytes to lines: bars, colours, NULs, long lines, ends that are not finished."""

from __future__ import annotations

import io

import pytest

from spikedoc.readers._text_lines import LONGEST_LINE, CleanLine, clean_lines


def texts(data: bytes) -> list[str]:
    return [line.text for line in clean_lines(io.BytesIO(data)) if line.text]


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"a\nb\r\nc", ["a", "b", "c"]),
        (b"\ra\rb\rc\n", ["a", "b", "c"]),
        (b"a\x08\x08\x08b\n", ["a", "b"]),
        (b"\x1b[1ma\x1b[0m b\n\x00\x00c\n", ["a b", "c"]),
        (b"\xef\xbb\xbfa\n", ["a"]),
        (b"\n\n \t\n", []),
        (b"caf\xe9\n", ["caf\ufffd"]),
    ],
)
def test_lines(data: bytes, expected: list[str]) -> None:
    assert texts(data) == expected


def test_frames_that_are_drawn_over() -> None:
    lines = [line for line in clean_lines(io.BytesIO(b"a\rb\rc\r\nd\n")) if line.text]
    assert [(line.text, line.is_drawn_over) for line in lines] == [
        ("a", True), ("b", True), ("c", False), ("d", False),
    ]  # fmt: skip


def test_frames_are_never_cut_in_the_middle() -> None:
    """A bar without line ends is read in pieces; a number on a border keeps all its digits."""
    frames = [f"step {i} loss=0.{i:06d}" for i in range(5000)]
    assert texts("\r".join(frames).encode()) == frames


@pytest.mark.parametrize("before", range(14))
@pytest.mark.parametrize("redraw", ["\r", "\x08\x08"])
def test_frames_are_whole_wherever_a_piece_ends(before: int, redraw: str) -> None:
    frames = ["x" * before, *(f"{i:05d} 0.12345" for i in range(3000))]
    assert texts(redraw.join(frames).encode()) == [frame for frame in frames if frame]


def test_the_rest_of_a_long_line_is_dropped() -> None:
    lines = texts(b"x" * (3 * LONGEST_LINE) + b"\nnext\n")
    assert lines == ["x" * LONGEST_LINE, "next"]


def test_a_frame_behind_a_long_line() -> None:
    lines = texts(b"x" * (LONGEST_LINE + 7) + b"\rframe\nnext\n")
    assert lines == ["x" * LONGEST_LINE, "frame", "next"]


def test_the_last_line_without_an_end_is_marked() -> None:
    lines = [line for line in clean_lines(io.BytesIO(b"a\nb")) if line.text]
    assert [line.is_finished for line in lines] == [True, False]


def test_sizes_add_up_to_the_file() -> None:
    data = b"a\nb\rc\n" + b"y" * 40_000 + b"\n\x1b[1mz"
    assert sum(line.size for line in clean_lines(io.BytesIO(data))) == len(data)


def test_an_empty_file() -> None:
    found: list[CleanLine] = list(clean_lines(io.BytesIO(b"")))
    assert found == []
