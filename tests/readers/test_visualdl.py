"""Record files of VisualDL."""

from __future__ import annotations

import math
import struct
from pathlib import Path

import numpy as np
import pytest

from spikedoc.errors import InputError
from spikedoc.readers.visualdl import READER

DATA = Path(__file__).parents[1] / "data" / "trackers" / "visualdl"
FILE = next(DATA.rglob("vdlrecords*"))


def test_every_point_the_writer_logged() -> None:
    (loss,) = READER.read(FILE).series
    assert loss.tag == "loss"
    assert loss.steps.tolist() == list(range(20))
    expected = np.array([2.0 / (i + 1) for i in range(20)], dtype=np.float32)
    expected[10] = math.nan
    np.testing.assert_array_equal(loss.values.astype(np.float32), expected)
    assert loss.wall_times is not None
    assert 1.7e9 < loss.wall_times[0] < 1.9e9


def test_only_its_own_files_are_taken(tmp_path: Path) -> None:
    assert READER.accepts(FILE, FILE.read_bytes())
    for head in (b"", b"\x00" * 8, b"\xff" * 100, b"step,loss\n1,2\n", FILE.read_bytes()[8:]):
        assert not READER.accepts(tmp_path, head)


@pytest.mark.parametrize("cut", range(1, 31))
def test_cut_while_it_was_written(tmp_path: Path, cut: int) -> None:
    path = tmp_path / "vdlrecords.1.log"
    path.write_bytes(FILE.read_bytes()[:-cut])
    table = READER.read(path)
    assert table.series[0].values.size == 19
    assert bool(table.notes) is (cut < 30)


def test_damage_ends_the_reading_with_a_note(tmp_path: Path) -> None:
    path = tmp_path / "vdlrecords.1.log"
    path.write_bytes(FILE.read_bytes() + b"\xff" * 100)
    table = READER.read(path)
    assert table.series[0].values.size == 20
    assert any("damaged" in note.en for note in table.notes)


def test_pictures_are_passed_over_and_strange_records_counted(tmp_path: Path) -> None:
    path = tmp_path / "vdlrecords.1.log"
    content = FILE.read_bytes()
    picture = struct.pack("<Q", 5000) + b"\x0a" * 5000
    strange = struct.pack("<Q", 4) + b"\xff\xff\xff\xff"
    path.write_bytes(content + picture + strange + content)
    table = READER.read(path)
    assert table.series[0].values.size == 40
    assert any("1 record " in note.en for note in table.notes)


def test_a_file_without_scalars(tmp_path: Path) -> None:
    path = tmp_path / "vdlrecords.1.log"
    path.write_bytes(FILE.read_bytes()[:34])
    with pytest.raises(InputError, match="without scalars"):
        READER.read(path)
