"""Changes of any bytes: what a bad disk, a killed writer or a malicious sender leaves."""

from __future__ import annotations

import re
from collections.abc import Callable
from random import Random
from typing import Final

# Lengths and counts that a damaged or malicious file may claim.
CLAIMS: Final = (
    b"\x00", b"\xff", b"\x7f\xff", b"\xff\xff\xff\xff", b"\xff\xff\xff\x7f", b"\x00\x00\x00\x80",
    b"\xff" * 8, b"\xff" * 7 + b"\x7f", b"\xff\xff\xff\xff\x0f", b"\x80" * 10,
    b"\x80\x80\x80\x80\x10",
)  # fmt: skip
# Numbers at and beyond the edges of doubles and 64-bit integers, and how programs spell the others.
NUMBERS: Final = (
    b"1e308", b"-1e308", b"1.7976931348623157e308", b"1e309", b"1e999", b"-1e-999", b"5e-324",
    b"2.2250738585072014e-308", b"-1e-310", b"0", b"-0", b"-0.0", b"+0.0", b"0.5", b"-1", b"-7",
    b"9007199254740993", b"9223372036854775807", b"9223372036854775808", b"-9223372036854775809",
    b"18446744073709551616", b"4611686018427387904", b"2147483648", b"1e18", b"1e19", b"3.0",
    b"9" * 400, b"1" * 5000, b"NaN", b"nan", b"-nan", b"NAN", b"nan(ind)", b"1.#QNAN", b"-1.#IND",
    b"inf", b"-inf", b"+inf", b"Infinity", b"-Infinity", b"1.#INF", b"null", b"None", b"true",
    b"False", b"0x10", b"0x1p3", b"1_000", b"1,234,567", b"1,5", b"1e", b".", b"-", b"1.5.2",
    b"tensor(nan, device='cuda:0')", b"tensor(1.5)", "\u0661\u221e\uff11".encode(), b'""', b" ",
)  # fmt: skip
_WORDS: Final = (
    *NUMBERS,
    b'"', b"'", b"[" * 2000, b"{" * 200, b'{"a":' * 200, b"\r", b"\r\n", b"\n", b"\x00" * 40,
    b"\x1b[31m", b"\xef\xbb\xbf", b"\xff\xfe", b"\xed\xa0\x80", b",", b";" * 50, b"\t",
    b": ", b"=", b"|", b"%s%n", b"../", b"step", b"loss", b"epoch", b"Epoch 3/2", b"nan loss",
    b"iter ", b" 12%|", b"Traceback (most recent call last):\n", b"[rank1]: ",
    "\u2028\u0130".encode(),
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
    at, claim = _place(content, random), random.choice(CLAIMS)
    return content[:at] + claim + content[at + len(claim) :]


def _with_word(content: bytes, _: bytes, random: Random) -> bytes:
    at = _place(content, random)
    return content[:at] + random.choice(_WORDS) + content[at:]


def _with_number(content: bytes, _: bytes, random: Random) -> bytes:
    numbers = list(_NUMBER.finditer(content))
    if not numbers:
        return content
    one = random.choice(numbers)
    return content[: one.start()] + random.choice(NUMBERS) + content[one.end() :]


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
    _shuffled, _with_number, _with_number,
)  # fmt: skip
