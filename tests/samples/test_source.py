"""A file of losses per sample that is packed, comes through a pipe, or is none."""

from __future__ import annotations

import gzip
import os
from pathlib import Path

import pytest

from spikedoc.errors import InputError
from spikedoc.samples.table import read_samples
from spikedoc.text import Text

TABLE = "step,sample_id,loss\n" + "".join(f"{i // 4},s{i},{1 + i}\n" for i in range(24))


def test_packed_and_through_a_pipe(tmp_path: Path) -> None:
    packed = tmp_path / "losses.csv.gz"
    packed.write_bytes(gzip.compress(TABLE.encode()))
    assert read_samples(packed).losses.size == 24
    with packed.open("rb") as stream:
        assert read_samples(Path("-"), stream).losses.size == 24
    (tmp_path / "cut.csv.gz").write_bytes(packed.read_bytes()[:-9])
    notes: list[Text] = []
    read_samples(tmp_path / "cut.csv.gz", notes=notes)
    assert "end early" in notes[0].en


def test_advice_on_what_is_no_file(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="give the table of losses in it"):
        read_samples(tmp_path)
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(InputError, match="spikedoc samples -"):
        read_samples(tmp_path / "pipe")
