"""Files that are nearly valid: what a bad disk, a killed writer or a malicious sender leaves."""

from __future__ import annotations

import re
from collections.abc import Callable
from random import Random
from typing import Final

# Lengths and counts that a damaged or malicious file may claim.
_CLAIMS: Final = (
    b"\x00", b"\xff", b"\x7f\xff", b"\xff\xff\xff\xff", b"\xff\xff\xff\x7f", b"\x00\x00\x00\x80",
    b"\xff" * 8, b"\xff" * 7 + b"\x7f", b"\xff\xff\xff\xff\x0f", b"\x80" * 10,
    b"\x80\x80\x80\x80\x10",
)  # fmt: skip
_WORDS: Final = (
    b"NaN", b"Infinity", b"-inf", b"1e999", b"-1e-999", b"9" * 400, b"1" * 5000, b"null", b"true",
    b'"', b"'", b"[" * 2000, b"{" * 200, b'{"a":' * 200, b"\r", b"\r\n", b"\n", b"\x00" * 40,
    b"\x1b[31m", b"\xef\xbb\xbf", b"\xff\xfe", b"\xed\xa0\x80", b",", b";" * 50, b"\t",
    b": ", b"=",
    b"9223372036854775808", b"-9223372036854775809", b"0x10", b"1_000", b"1,234,567",
    b"%s%n", b"../",
    "\u2028\u0130\u0661".encode(),
)  # fmt: skip
_NUMBER: Final = re.compile(rb"\d+(?:\.\d+)?(?:[eE][-+]?\d+)?")
_LONGEST_PIECE: Final = 4_000
Mutation = Callable[[bytes, bytes, Random], bytes]


def mutant(content: bytes, other: bytes, random: Random) -> bytes:
    """Return `content` changed by one to four mutations; some take a part of `other`."""
    for _ in range(random.choice((1, 1, 2, 4))):
        content = random.choice(_MUTATIONS)(content, other, random)
    return content


def _place(content: bytes, random: Random) -> int:
    """A place in the content; the head, where formats keep their lengths, comes up often."""
    end = len(content) if random.random() < 0.7 else min(len(content), 200)
    return random.randint(0, end)


def _flipped(content: bytes, _: bytes, random: Random) -> bytes:
    changed = bytearray(content)
    for _number in range(random.choice((1, 1, 3, 20))):
        if changed:
            changed[_place(content[:-1], random)] ^= 1 << random.randrange(8)
    return bytes(changed)


def _cut(content: bytes, _: bytes, random: Random) -> bytes:
    return content[: _place(content, random)]


def _claiming(content: bytes, _: bytes, random: Random) -> bytes:
    at, claim = _place(content, random), random.choice(_CLAIMS)
    return content[:at] + claim + content[at + len(claim) :]


def _with_word(content: bytes, _: bytes, random: Random) -> bytes:
    at = _place(content, random)
    return content[:at] + random.choice(_WORDS) + content[at:]


def _with_number(content: bytes, _: bytes, random: Random) -> bytes:
    numbers = list(_NUMBER.finditer(content))
    if not numbers:
        return content
    one = random.choice(numbers)
    return content[: one.start()] + random.choice(_WORDS[:9]) + content[one.end() :]


def _without_piece(content: bytes, _: bytes, random: Random) -> bytes:
    at = _place(content, random)
    return content[:at] + content[at + random.randint(1, _LONGEST_PIECE) :]


def _repeated(content: bytes, _: bytes, random: Random) -> bytes:
    at = _place(content, random)
    piece = content[at : at + random.randint(1, _LONGEST_PIECE)]
    return content[:at] + piece * random.choice((2, 3, 50)) + content[at:]


def _spliced(content: bytes, other: bytes, random: Random) -> bytes:
    return content[: _place(content, random)] + other[_place(other, random) :]


def _shuffled(content: bytes, _: bytes, random: Random) -> bytes:
    lines = content.splitlines(keepends=True)
    random.shuffle(lines)
    return b"".join(lines)


_MUTATIONS: Final[tuple[Mutation, ...]] = (
    _flipped, _cut, _claiming, _with_word, _with_number, _without_piece, _repeated, _spliced,
    _shuffled,
)  # fmt: skip
