"""Record files of SwanLab."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from spikedoc.errors import InputError
from spikedoc.readers.swanlab import READER

DATA = Path(__file__).parents[1] / "data" / "trackers" / "swanlab"
RUN = next(DATA.glob("*/*.swanlab"))


def test_every_point_the_writer_logged() -> None:
    table = READER.read(RUN)
    found = {series.tag: series for series in table.series}
    assert {tag: s.values.size for tag, s in found.items()} == {
        "train/loss": 40,
        "lr": 40,
        "val/loss": 4,
    }
    expected = [2.0 / (i + 1) for i in range(40)]
    expected[20:22] = [math.nan, math.inf]
    np.testing.assert_array_equal(found["train/loss"].values, expected)
    assert found["train/loss"].steps.tolist() == list(range(0, 80, 2))
    assert found["val/loss"].steps.tolist() == [18, 38, 58, 78]
    assert found["lr"].values[0] == 0.0  # not on the wire at all
    assert found["lr"].values[39] == pytest.approx(39e-4)
    walls = found["lr"].wall_times
    assert walls is not None
    assert 1.7e9 < walls[0] <= walls[-1] < 1.9e9
    assert table.notes == ()


@pytest.mark.parametrize("cut", [1, 100, 2000])
def test_a_cut_file(tmp_path: Path, cut: int) -> None:
    path = tmp_path / "run.swanlab"
    path.write_bytes(RUN.read_bytes()[:-cut])
    table = READER.read(path)
    assert 0 < table.series[0].values.size <= 40
    assert any("cut short" in note.en for note in table.notes)


def test_another_version_is_refused_by_its_number(tmp_path: Path) -> None:
    path = tmp_path / "run.swanlab"
    path.write_bytes(b":SWL\xd6\xe1\x03" + RUN.read_bytes()[7:])
    assert READER.accepts(path, path.read_bytes())
    with pytest.raises(InputError, match="version 3; version 2 is known"):
        READER.read(path)


def test_a_run_without_scalars(tmp_path: Path) -> None:
    path = tmp_path / "run.swanlab"
    path.write_bytes(RUN.read_bytes()[:60])
    with pytest.raises(InputError, match="without scalars"):
        READER.read(path)
