"""Long tables: one row per value, small ones and those read in pieces alike."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from tables import PARSER_ERROR, points, series

from spikedoc.readers import _csv_long, _csv_long_large
from spikedoc.readers import csv as csv_module
from spikedoc.readers.base import Table
from spikedoc.readers.csv import READER
from tests.notes import english

COUNT = 200
TAGS = {"loss": 2.0, "lr": 0.1, "val/loss": 3.0}


def rows(run: str = "") -> list[str]:
    own = f",{run}" if run else ""
    return [
        f"{step},{tag},{top / (step + 1)!r},{1.7e9 + step}{own}"
        for step in range(COUNT)
        for tag, top in TAGS.items()
    ]


def write(path: Path, header: str, lines: list[str]) -> Path:
    path.write_text("\n".join([header, *lines]) + "\n")
    return path


@pytest.fixture(params=[False, True], ids=["small", "in pieces"])
def in_pieces(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> bool:
    if request.param:
        monkeypatch.setattr(csv_module, "LARGE_FILE_BYTES", 10)
        monkeypatch.setattr("spikedoc.readers._csv_large.ROWS_AT_A_TIME", 64)
    return bool(request.param)


@pytest.mark.usefixtures("in_pieces")
def test_each_name_is_a_series(tmp_path: Path) -> None:
    table = READER.read(write(tmp_path / "log.csv", "step,tag,value,wall_time", rows()))
    found = series(table)
    assert list(found) == list(TAGS)
    for place, (tag, top) in enumerate(TAGS.items()):
        one = found[tag]
        assert one.steps.tolist() == list(range(COUNT))
        expected = [top / (step + 1) for step in range(COUNT)]
        np.testing.assert_allclose(one.values, expected, rtol=PARSER_ERROR)
        assert one.wall_times is not None
        assert one.wall_times.tolist() == [1.7e9 + step for step in range(COUNT)]
        assert one.order is not None
        assert one.order.tolist() == [3 * step + place for step in range(COUNT)]
    assert table.notes == ()


@pytest.mark.usefixtures("in_pieces")
def test_several_runs_are_kept_apart_and_one_alone_is_not_named(tmp_path: Path) -> None:
    header = "step,metric,value,wall_time,run"
    two = READER.read(write(tmp_path / "two.csv", header, [*rows("a"), *rows("b")]))
    assert set(series(two)) == {f"{run}/{tag}" for run in "ab" for tag in TAGS}
    assert {one.steps.size for one in two.series} == {COUNT}
    one = READER.read(write(tmp_path / "one.csv", header, rows("a")))
    assert set(series(one)) == set(TAGS)


@pytest.mark.usefixtures("in_pieces")
def test_missing_nan_and_steps_without_end(tmp_path: Path) -> None:
    lines = ["1,loss,3", "2,loss,nan", "3,loss,", "inf,loss,4", "1e300,loss,6", "4,loss,inf"] * 30
    found = points(READER.read(write(tmp_path / "log.csv", "step,tag,value", lines)), "loss")
    assert [step for step, _ in found] == [1, 2, 4] * 30
    np.testing.assert_array_equal([value for _, value in found], [3.0, np.nan, np.inf] * 30)


@pytest.mark.usefixtures("in_pieces")
def test_held_out_rows_by_their_phase(tmp_path: Path) -> None:
    lines = [
        f"{step},{phase},loss,{top}"
        for step in range(80)
        for phase, top in (("train", 1.5), ("val", 2.5))
    ]
    found = series(READER.read(write(tmp_path / "log.csv", "step,split,metric,value", lines)))
    assert {tag: set(one.values.tolist()) for tag, one in found.items()} == {
        "loss": {1.5},
        "val/loss": {2.5},
    }


def test_more_names_than_a_log_has_are_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, in_pieces: bool
) -> None:
    monkeypatch.setattr(_csv_long_large if in_pieces else _csv_long, "MOST_TAGS", 50)
    lines = [f"{step},t{step},{step / 2}" for step in range(300)]
    table = READER.read(write(tmp_path / "log.csv", "step,tag,value", lines))
    assert [one.tag for one in table.series] == [f"t{step}" for step in range(50)]
    assert list(english(table.notes)) == [
        "more tags or points than are kept: 250 points were left out"
    ]


def test_what_is_too_long_is_thinned_but_for_what_stands_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(csv_module, "LARGE_FILE_BYTES", 10)
    monkeypatch.setattr("spikedoc.readers._csv_large.ROWS_AT_A_TIME", 500)
    lines = [f"{step},loss,{50.0 if step == 777 else 1 + step % 7 / 100}" for step in range(4000)]
    path = write(tmp_path / "log.csv", "step,tag,value", lines)
    table: Table = csv_module.CsvReader().read_within(path, memory=128 * 1000)
    (loss,) = table.series
    assert loss.steps.size <= 1500
    assert (loss.steps[0], loss.steps[-1]) == (0, 3999)
    assert loss.values[loss.steps == 777].tolist() == [50.0]
    assert list(english(table.notes)) == [
        f"too long for --max-memory: {4000 - loss.steps.size} points were thinned out, "
        "the others stand for them"
    ]
