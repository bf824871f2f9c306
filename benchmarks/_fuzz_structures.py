"""Changes that keep the shape of a format, so that they get behind its checksums and parsers."""

from __future__ import annotations

import bz2
import gzip
import io
import json
import lzma
import struct
import zipfile
import zlib
from collections.abc import Callable
from functools import lru_cache
from random import Random
from typing import Any, BinaryIO, Final

from _fuzz_bytes import CLAIMS, NUMBERS, mutant
from _fuzz_sqlite import changed_sqlite, is_sqlite

from spikedoc.readers._crc32c import of_bytes

Change = Callable[[bytes, Random], bytes]
# Share of changed records that get the checksums of their new content.
_VALID_SHARE: Final = 0.9
# Lengths of records: none, of other records, 2 and 4 GB, and beyond what a file may have.
_LENGTHS: Final = (0, 1, 7, 255, 4096, 2**31 - 1, 2**31, 2**32 - 1, 2**40, 2**63, 2**64 - 1)
_VARINTS: Final = (0, 1, 127, 128, 2**31, 2**32, 2**53, 2**63 - 1, 2**63, 2**64 - 1)
_DOUBLES: Final = (
    float("nan"), float("inf"), float("-inf"), -0.0, 5e-324, 1e308, -1e308, 1.0, -1.0, 1.7e9, 4e10,
)  # fmt: skip
_DEEPEST: Final = 40
# What is looked at of an archive or of packed bytes, which may be a bomb already.
_MOST_UNPACKED: Final = 100_000
_MOST_MEMBERS: Final = 50

# Most records of an input are those of its seed.
masked_crc32c: Final = lru_cache(maxsize=4096)(of_bytes)


def structured(content: bytes, other: bytes, random: Random) -> bytes:
    """Return `content` changed as its format allows; any bytes when it is of no known one."""
    for is_one, change in _FORMATS:
        if is_one(content):
            try:
                return change(content, random)
            except Exception:  # whatever a library may raise at what is damaged already
                break
    return mutant(content, other, random)


# Records of event files: length, its checksum, message, its checksum.


def is_events(content: bytes) -> bool:
    """Return whether the first record has the checksum of an event file."""
    return len(content) > 16 and masked_crc32c(content[:8]) == _word(content, 8)


def changed_events(content: bytes, random: Random) -> bytes:
    """Return the records with one to three changed, left out, given twice or put elsewhere."""
    records = []
    place = 0
    while place + 16 <= len(content):
        (length,) = struct.unpack_from("<Q", content, place)
        if place + 16 + length > len(content):
            break
        records.append(content[place + 12 : place + 12 + length])
        place += 16 + length
    _vary(records, random, changed_message)
    return b"".join(_event_record(record, random) for record in records)


def _event_record(data: bytes, random: Random) -> bytes:
    length = len(data)
    valid = random.random() < _VALID_SHARE
    if not valid and random.random() < 0.3:
        length = random.choice(_LENGTHS)
    header = struct.pack("<Q", length)
    sums = [struct.pack("<I", masked_crc32c(part)) for part in (header, data)]
    if not valid and random.random() < 0.3:
        sums[random.randrange(2)] = random.randbytes(4)
    return header + sums[0] + data + sums[1]


# Records in blocks, as W&B and SwanLab keep them.


def is_blocks(content: bytes) -> bool:
    """Return whether it begins as a file of W&B or SwanLab does."""
    return content.startswith((b":W&B", b":SWL"))


def changed_blocks(content: bytes, random: Random) -> bytes:
    """Return the records of the first block, some of them changed, with valid checksums."""
    records, place = [], 7
    while place + 7 <= len(content):
        _, length, kind = struct.unpack_from("<IHB", content, place)
        if kind not in (1, 2, 3, 4):
            break
        records.append(content[place + 7 : place + 7 + length])
        place += 7 + length
    _vary(records, random, changed_message)
    return content[:7] + b"".join(_block_record(record, random) for record in records)


def _block_record(data: bytes, random: Random) -> bytes:
    kind = 1 if random.random() < _VALID_SHARE else random.randrange(7)
    data = data[:65535]
    checksum = zlib.crc32(data, zlib.crc32(bytes([kind])))
    return struct.pack("<IHB", checksum, len(data), kind) + data


# VisualDL: a length and a message.


def is_lengths(content: bytes) -> bool:
    """Return whether it begins as a file of VisualDL does."""
    return b"meta_data_tag" in content[:64]


def changed_lengths(content: bytes, random: Random) -> bytes:
    """Return the records, some of them changed, some with a wrong length."""
    records, place = [], 0
    while place + 8 <= len(content):
        (length,) = struct.unpack_from("<Q", content, place)
        records.append(content[place + 8 : place + 8 + length])
        place += 8 + length
    _vary(records, random, changed_message)
    lied = [random.choice(_LENGTHS) if random.random() > _VALID_SHARE else None for _ in records]
    pairs = zip(records, lied, strict=True)
    return b"".join(struct.pack("<Q", len(r) if lie is None else lie) + r for r, lie in pairs)


# Protocol buffers.


def changed_message(data: bytes, random: Random, depth: int = 0) -> bytes:
    """Return the message with a field changed, in it or in a message inside it."""
    fields = _fields(data)
    if not fields:
        return mutant(data, data, random)
    at = random.randrange(len(fields))
    number, kind, value = fields[at]
    choice = random.randrange(8)
    if choice == 0:
        del fields[at]
    elif choice == 1:
        fields[at:at] = [fields[at]] * random.choice((1, 2, 300))
    elif choice == 2:
        fields[at] = (random.choice((0, 1, 2, 5, 15, 16, 2**28)), kind, value)
    elif choice == 3 and kind == 2:
        for _ in range(random.choice((1, 3, _DEEPEST, 500))):
            value = _encoded([(number, 2, value)])
        fields[at] = (number, 2, value)
    else:
        fields[at] = (number, kind, _changed_value(kind, value, random, depth))
    encoded = _encoded(fields)
    return encoded + random.choice(CLAIMS) if random.random() > _VALID_SHARE else encoded


def _changed_value(kind: int, value: Any, random: Random, depth: int) -> Any:
    if kind == 0:
        return random.choice(_VARINTS)
    if kind == 1:
        return struct.pack("<d", random.choice(_DOUBLES))
    if kind == 5:
        single = random.choice(_DOUBLES)
        return struct.pack("<f", single if not 1e38 < abs(single) < 1e309 else 3e38)
    if depth < _DEEPEST and random.random() < 0.8 and _fields(value):
        return changed_message(value, random, depth + 1)
    return mutant(value, value, random)


def _fields(data: bytes) -> list[tuple[int, int, Any]]:
    """Number, kind and value of each field; nothing when the bytes are no message."""
    found: list[tuple[int, int, Any]] = []
    place = 0
    while place < len(data):
        key, place = _varint(data, place)
        if place < 0:
            return []
        number, kind = key >> 3, key & 7
        value: int | bytes
        if kind == 0:
            value, place = _varint(data, place)
        elif kind in (1, 2, 5):
            size = 8 if kind == 1 else 4
            if kind == 2:
                size, place = _varint(data, place)
            value, place = data[place : place + size], place + size
        else:
            return []
        if not 0 <= place <= len(data) or number == 0:
            return []
        found.append((number, kind, value))
    return found


def _varint(data: bytes, place: int) -> tuple[int, int]:
    result = shift = 0
    while place < len(data) and shift <= 63:
        byte = data[place]
        result |= (byte & 127) << shift
        place, shift = place + 1, shift + 7
        if byte < 128:
            return result, place
    return 0, -1


def _encoded(fields: list[tuple[int, int, Any]]) -> bytes:
    parts = []
    for number, kind, value in fields:
        parts.append(_as_varint(number << 3 | kind))
        if kind == 0:
            parts.append(_as_varint(value))
        else:
            parts += [_as_varint(len(value)), value] if kind == 2 else [value]
    return b"".join(parts)


def _as_varint(number: int) -> bytes:
    out = bytearray()
    while number > 127:
        out.append(number & 127 | 128)
        number >>= 7
    return bytes([*out, number])


# JSON, as a whole or a record a line.


def is_json(content: bytes) -> bool:
    """Return whether it begins as JSON does."""
    return content[:1] in (b"{", b"[")


def changed_json(content: bytes, random: Random) -> bytes:
    """Return the text with a value, a key or the nesting of one record changed."""
    lines = content.split(b"\n")
    at = random.randrange(len(lines))
    try:
        whole, lines = json.loads(content), []
    except ValueError:
        whole = json.loads(lines[at])
    slots: list[bytes] = []
    _change_tree(whole, random, slots)
    text = json.dumps(whole).encode()
    for place, slot in enumerate(slots):
        text = text.replace(f'"@{place}@"'.encode(), slot)
    if not lines:
        return text
    lines[at] = text
    return b"\n".join(lines * random.choice((1, 1, 1, 20)))


def _change_tree(tree: Any, random: Random, slots: list[bytes]) -> None:
    """Change a node of the tree in place; what JSON cannot say is a slot to be filled later."""
    while isinstance(tree, dict | list) and tree:
        keys = list(tree) if isinstance(tree, dict) else list(range(len(tree)))
        key = random.choice(keys)
        if isinstance(tree[key], dict | list) and tree[key] and random.random() < 0.8:
            tree = tree[key]
            continue
        choice = random.randrange(6)
        if choice == 0 and isinstance(tree, dict):
            name = random.choice(
                ("step", "loss", "epoch", "", "a/b", "__class__", "\ud800", "s" * 99)
            )
            tree[name] = tree.pop(key)
        elif choice == 1:
            for _ in range(random.choice((1, 6, 300))):
                tree[key] = {"a": tree[key]} if random.random() < 0.5 else [tree[key]]
        elif choice == 2 and isinstance(tree, list):
            tree *= random.choice((0, 2, 30))
        else:
            slots.append(random.choice((*NUMBERS, b"{}", b"[]", b'"x"', b"[1, 2]", b'{"mean": 1}')))
            tree[key] = f"@{len(slots) - 1}@"
        return


# Tables.

_DELIMITERS: Final = (b",", b"\t", b";", b"|", b" ")


def is_table(content: bytes) -> bool:
    """Return whether the first two lines have equally many cells."""
    head = content.split(b"\n", 2)[:2]
    return len(head) == 2 and any(
        head[0].count(sign) == head[1].count(sign) > 0 for sign in _DELIMITERS
    )


def changed_table(content: bytes, random: Random) -> bytes:
    """Return the table with cells, columns or rows changed."""
    lines = content.split(b"\n")
    sign = max(_DELIMITERS, key=lines[0].count)
    rows = [line.split(sign) for line in lines]
    choice = random.randrange(6)
    if choice == 0:  # one column holds one thing
        column, cell = random.randrange(len(rows[0])), random.choice(NUMBERS)
        rows[1:] = [[cell if n == column else old for n, old in enumerate(row)] for row in rows[1:]]
    elif choice == 1:
        rows.insert(random.randrange(len(rows)), rows[0])
    elif choice == 2:
        column = random.randrange(len(rows[0]))
        rows = [row[:column] + row[column + 1 :] for row in rows]
    elif choice == 3:
        rows[0][random.randrange(len(rows[0]))] = random.choice(
            (b"step", b"epoch", b"metric", b"value", b"time", b"", b"loss", b'"a', b"1.5")
        )
    elif choice == 4:
        sign = random.choice((*_DELIMITERS, b"\xc2\xa0", b", "))
    for _ in range(random.choice((0, 1, 5))):
        row = random.choice(rows)
        row[random.randrange(len(row))] = random.choice(NUMBERS)
    return random.choice((b"\n", b"\n", b"\r\n")).join(sign.join(row) for row in rows)


# Archives and packed files.


def is_zip(content: bytes) -> bool:
    """Return whether it begins as a zip archive does."""
    return content.startswith(b"PK\x03\x04")


def changed_zip(content: bytes, random: Random) -> bytes:
    """Return the archive with the content or the name of a member changed."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        listed = archive.infolist()[:_MOST_MEMBERS]
        members = {info.filename: archive.open(info).read(_MOST_UNPACKED) for info in listed}
    name, data = random.choice(list(members.items()))
    members[name] = structured(data, data, random)
    if random.random() > _VALID_SHARE:
        other = random.choice(("../../x", "/etc/x", "a" * 300, "\x00", name.upper(), "x/" * 40))
        members[other] = data
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    made = target.getvalue()
    return made if random.random() < _VALID_SHARE else mutant(made, content, random)


_PACKERS: Final[dict[bytes, tuple[Callable[[BinaryIO], Any], Callable[[bytes], bytes]]]] = {
    b"\x1f\x8b": (lambda file: gzip.GzipFile(fileobj=file), gzip.compress),
    b"BZh": (bz2.BZ2File, bz2.compress),
    b"\xfd7zXZ\x00": (lzma.LZMAFile, lzma.compress),
}


def is_packed(content: bytes) -> bool:
    """Return whether it begins as gzip, bzip2 or xz do."""
    return content.startswith(tuple(_PACKERS))


def changed_packed(content: bytes, random: Random) -> bytes:
    """Return the file with its content changed, or given again and again."""
    unpack, pack = next(pair for magic, pair in _PACKERS.items() if content.startswith(magic))
    with unpack(io.BytesIO(content)) as file:
        plain = file.read(_MOST_UNPACKED)
    made = pack(structured(plain, plain, random)[:_MOST_UNPACKED])
    if random.random() > _VALID_SHARE:
        return made * random.choice((2, 3, 200))
    return made if random.random() < _VALID_SHARE else mutant(made, content, random)


def _vary(records: list[bytes], random: Random, change: Change) -> None:
    """Change some records; leave some out, repeat some, and put some elsewhere."""
    for _ in range(random.choice((1, 1, 2, 5))):
        if not records:
            return
        at = random.randrange(len(records))
        choice = random.randrange(6)
        if choice == 0:
            del records[at]
        elif choice == 1:
            records[at:at] = [records[at]] * random.choice((1, 30))
        elif choice == 2:
            records.insert(random.randrange(len(records)), records.pop(at))
        else:
            records[at] = change(records[at], random)


def _word(content: bytes, place: int) -> int:
    return int.from_bytes(content[place : place + 4], "little")


_FORMATS: Final[tuple[tuple[Callable[[bytes], bool], Change], ...]] = (
    (is_events, changed_events),
    (is_blocks, changed_blocks),
    (is_sqlite, changed_sqlite),
    (is_zip, changed_zip),
    (is_packed, changed_packed),
    (is_lengths, changed_lengths),
    (is_json, changed_json),
    (is_table, changed_table),
)
