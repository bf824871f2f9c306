"""Record files of W&B: what its own writer wrote, cut, damaged and hostile ones."""

from __future__ import annotations

import math
import struct
import zlib
from pathlib import Path

import numpy as np
import pytest

from spikedoc.errors import InputError
from spikedoc.readers.base import RawSeries, Table
from spikedoc.readers.wandb import READER

DATA = Path(__file__).parents[1] / "data" / "trackers" / "wandb"
LONG = next(DATA.glob("*/run-j1m3yswl.wandb"))
SHORT = next(DATA.glob("*/run-2r383h2b.wandb"))
HEAD = b":W&B\xe1\xbe\x00"
BLOCK = 32768


def one(table: Table, tag: str) -> RawSeries:
    return next(series for series in table.series if series.tag == tag)


def varint(number: int) -> bytes:
    out = bytearray()
    while number > 127:
        out.append(number & 127 | 128)
        number >>= 7
    return bytes([*out, number])


def part(number: int, content: bytes | int) -> bytes:
    if isinstance(content, int):
        return varint(number << 3) + varint(content)
    return varint(number << 3 | 2) + varint(len(content)) + content


def history(step: int, **cells: str) -> bytes:
    items = [
        part(1, part(2, key.encode()) + part(16, value.encode())) for key, value in cells.items()
    ]
    return part(2, b"".join(items) + part(2, part(1, step)))


def framed(*records: bytes) -> bytes:
    """The records in blocks, as the format says, written without the reader's code."""
    out = bytearray(HEAD)
    for record in records:
        rest, is_first = record, True
        while rest or is_first:
            room = BLOCK - len(out) % BLOCK
            if room < 7:
                out += b"\x00" * room
                continue
            piece, rest = rest[: room - 7], rest[room - 7 :]
            kind = {(True, True): 1, (True, False): 2, (False, False): 3, (False, True): 4}[
                is_first, not rest
            ]
            body = bytes([kind]) + piece
            out += struct.pack("<IH", zlib.crc32(body), len(piece)) + body
            is_first = False
    return bytes(out)


def read(tmp_path: Path, content: bytes) -> Table:
    path = tmp_path / "run-x.wandb"
    path.write_bytes(content)
    return READER.read(path)


def test_every_point_the_writer_logged() -> None:
    table = READER.read(LONG)
    assert {s.tag: s.values.size for s in table.series} == {
        "train/loss": 130,
        "lr": 130,
        "nested.a": 130,
        "nested.b.c": 130,
        "val/loss": 5,
    }
    loss = one(table, "train/loss")
    assert loss.steps.tolist() == list(range(0, 1300, 10))
    expected = [2.0 / (i + 1) for i in range(130)]
    expected[30:33] = [math.nan, math.inf, -math.inf]
    np.testing.assert_array_equal(loss.values, expected)
    assert one(table, "val/loss").steps.tolist() == [240, 490, 740, 990, 1240]
    assert loss.wall_times is not None
    assert table.config == {"lr": 0.001, "opt/name": "adamw", "batch_size": 32}
    assert table.notes == ()
    assert table.events == ()


def test_the_file_is_longer_than_a_block() -> None:
    assert LONG.stat().st_size > BLOCK


def test_the_step_that_the_user_named() -> None:
    table = READER.read(SHORT)
    (loss,) = table.series
    assert loss.steps.tolist() == list(range(0, 150, 5))
    assert loss.values.tolist() == [1 / (i + 1) for i in range(30)]
    assert any("steps are update" in note.en for note in table.notes)
    assert table.events == ((None, "the process ended with exit code 3"),)


def test_the_own_writer_of_these_tests_agrees(tmp_path: Path) -> None:
    rows = [history(i, loss=str(1 / (i + 1)), text='"x"', off="true") for i in range(3000)]
    table = read(tmp_path, framed(*rows))
    (loss,) = table.series
    assert loss.values.tolist() == [1 / (i + 1) for i in range(3000)]
    assert loss.steps.tolist() == list(range(3000))


def test_numbers_as_text_and_other_content(tmp_path: Path) -> None:
    row = history(
        4, a='"NaN"', b='"Infinity"', c="-Infinity", d='{"_type":"histogram","values":[1]}', e="[1"
    )
    table = read(tmp_path, framed(row))
    assert {s.tag for s in table.series} == {"a", "b", "c"}
    assert math.isnan(one(table, "a").values[0])
    assert one(table, "b").values[0] == math.inf
    assert one(table, "c").values[0] == -math.inf
    assert one(table, "a").steps.tolist() == [4]


def test_a_counter_of_steps_wins_over_the_count_of_calls(tmp_path: Path) -> None:
    rows = [
        history(i, **{"loss": "1.5", "trainer/global_step": str(i * 50), "_step": str(i)})
        for i in range(10)
    ]
    (loss,) = read(tmp_path, framed(*rows)).series
    assert loss.steps.tolist() == list(range(0, 500, 50))


@pytest.mark.parametrize("cut", range(1, 90))
def test_cut_while_it_was_written(tmp_path: Path, cut: int) -> None:
    rows = [history(i, loss="0.5") for i in range(50)]
    ends = np.cumsum([len(HEAD), *(7 + len(row) for row in rows)])
    content = framed(*rows)
    assert ends[-1] == len(content)
    table = read(tmp_path, content[:-cut])
    whole = int(np.sum(ends <= len(content) - cut)) - 1
    assert one(table, "loss").values.size == whole
    is_between = len(content) - cut in ends
    assert any("cut short" in note.en for note in table.notes) is not is_between


def test_cut_in_the_middle_of_a_record_of_two_blocks(tmp_path: Path) -> None:
    rows = [history(i, loss="0.5") for i in range(50)]
    long = history(50, loss="0.5", note='"' + "x" * 40_000 + '"')
    table = read(tmp_path, framed(*rows, long)[: BLOCK + 10])
    assert one(table, "loss").values.size == 50
    assert any("cut short" in note.en for note in table.notes)


def test_behind_a_damaged_block_reading_goes_on(tmp_path: Path) -> None:
    rows = [history(i, loss="0.5") for i in range(4000)]
    content = bytearray(framed(*rows))
    assert len(content) > 3 * BLOCK
    content[BLOCK + 40] ^= 0xFF
    loss = one(read(tmp_path, bytes(content)), "loss")
    in_one_block = 4000 * BLOCK // len(content)
    assert 4000 - in_one_block - 5 < loss.values.size < 4000
    assert loss.steps[-1] == 3999
    table = read(tmp_path, bytes(content))
    assert any("damaged blocks" in note.en for note in table.notes)


def test_records_that_are_no_messages(tmp_path: Path) -> None:
    table = read(tmp_path, framed(b"\xff" * 30, history(1, loss="1"), part(2, b"\x0a\x7f")))
    assert one(table, "loss").values.tolist() == [1.0]
    assert any("2 records" in note.en for note in table.notes)


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (HEAD, "without history"),
        (b":W&B\xe1\xbe\x01rest", "unknown version"),
        (b":W&B\xe1\xbe", "unknown version"),
        (HEAD + b"\x00" * 5000, "without history"),
        (HEAD + b"\xff" * 70_000, "without history"),
    ],
)
def test_files_with_nothing_to_read(tmp_path: Path, content: bytes, reason: str) -> None:
    assert READER.accepts(tmp_path, content)
    with pytest.raises(InputError, match=reason):
        read(tmp_path, content)


def test_a_record_that_never_ends_takes_no_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("spikedoc.readers._block_log.LONGEST_RECORD", 100_000)
    rows = [history(0, loss="1"), history(1, note='"' + "x" * 300_000 + '"'), history(2, loss="2")]
    table = read(tmp_path, framed(*rows))
    assert one(table, "loss").values.tolist() == [1.0, 2.0]
    assert any("longer than any scalars" in note.en for note in table.notes)
