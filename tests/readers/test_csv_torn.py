"""Rows of a table that are torn, against rows that a writer makes shorter or longer."""

from __future__ import annotations

from pathlib import Path
from typing import BinaryIO

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spikedoc.readers import _csv_large
from spikedoc.readers import csv as csv_module
from spikedoc.readers._csv_torn import is_regular, torn_rows, width_of
from spikedoc.readers.base import Table
from spikedoc.readers.csv import READER
from tests.notes import english

HEADER = "step,loss,lr,grad_norm"
ROWS = [f"{i},{1 / (i + 1):.6f},0.0010,{1 + i % 7 / 10:.4f}" for i in range(80)]
TORN = "1 row with another number of cells than the header was left out"


def read(path: Path, rows: list[str]) -> Table:
    path.write_text("\n".join([HEADER, *rows]) + "\n")
    return READER.read(path)


def values(table: Table, tag: str) -> list[float]:
    return next(one.values.tolist() for one in table.series if one.tag == tag)


def steps(table: Table) -> list[int]:
    return next(one.steps.tolist() for one in table.series if one.tag == "loss")


@pytest.mark.parametrize(
    "torn",
    [
        "40,0.02",  # cut off
        "0.024390,0.0010,1.5",  # the beginning is missing
        "40,0.02" + ROWS[41],  # the row of another process behind it
        ROWS[40] + ROWS[41],  # no line end between
        ROWS[40] + ",1.5",
    ],
)
@pytest.mark.parametrize("is_large", [False, True])
def test_a_torn_row_is_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, torn: str, is_large: bool
) -> None:
    if is_large:
        monkeypatch.setattr(csv_module, "LARGE_FILE_BYTES", 10)
    table = read(tmp_path / "log.csv", [*ROWS[:40], torn, *ROWS[41:]])
    assert set(values(table, "lr")) == {0.001}
    assert steps(table) == [i for i in range(80) if i != 40]
    assert any(note.startswith(TORN) for note in english(table.notes))


def test_rows_without_validation_are_whole(tmp_path: Path) -> None:
    rows = [f"{i},0.5,0.1" + (",0.7" if i < 2 or i % 10 == 9 else "") for i in range(80)]
    table = read(tmp_path / "log.csv", rows)
    assert steps(table) == list(range(80))
    assert len(values(table, "grad_norm")) == 10
    assert table.notes == ()


def test_columns_that_were_added_later(tmp_path: Path) -> None:
    table = read(tmp_path / "log.csv", [*ROWS[:77], *(f"{row},7" for row in ROWS[77:])])
    assert steps(table) == list(range(80))
    assert "3 rows have more cells than the header" in english(table.notes)[0]


def test_empty_cells_at_the_end_are_no_surplus(tmp_path: Path) -> None:
    table = read(tmp_path / "log.csv", [*ROWS[:40], f"{ROWS[40]},,", *ROWS[41:]])
    assert steps(table) == list(range(80))
    assert table.notes == ()


def test_widths() -> None:
    assert torn_rows([3, 3, 2, 3], 3) == {2}
    assert torn_rows([2], 3) == frozenset()  # all there is
    assert torn_rows([3] * 100 + [2] * 3, 3) == frozenset()
    assert torn_rows([3, 2] * 10, 3) == frozenset()
    assert torn_rows([], 3) == frozenset()
    assert width_of(["1", "", " "], 1) == 1
    assert width_of(["1", "2"], 3) == 2


@given(st.text(alphabet="a,;\n\r", min_size=1, max_size=40), st.integers(0, 3))
def test_lines_seen_at_once_are_those_seen_one_by_one(text: str, most: int) -> None:
    lines = text.encode()
    seen = {line.count(b",") for line in lines.splitlines()}
    if is_regular(lines, b",", most):
        assert seen == {most}
    elif most and b"\r" not in lines:
        assert seen != {most}


def test_a_short_row_and_a_long_one_do_not_make_two_of_the_usual_width() -> None:
    assert is_regular(b"1,2\n3,4\n5,6", b",", 1)
    assert is_regular(b"1,2\r\n3,4\r\n", b",", 1)
    assert not is_regular(b"1,2\n34\n5,6,7\n", b",", 1)
    assert not is_regular(b"1,2,3\n4\n5,6\n", b",", 1)


@pytest.mark.parametrize("is_large", [False, True])
@pytest.mark.parametrize(
    "first",
    [
        ["0,1.0"],  # cut off
        ["0,1.0", "1,0.5,0.0010"],  # lack what is not known yet
        ["0,1.0" + ROWS[1]],  # the row of another process behind it
        ["0,1.0,0.0010"] * 5,
    ],
)
def test_torn_rows_under_the_header_do_not_take_it_away(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, first: list[str], is_large: bool
) -> None:
    if is_large:
        monkeypatch.setattr(csv_module, "LARGE_FILE_BYTES", 10)
    table = read(tmp_path / "log.csv", [*first, *ROWS[5:]])
    kept = len(first) if len(first) > 2 else 0  # so many alike are another layout
    assert steps(table) == [0] * kept + list(range(5, 80))
    assert values(table, "lr")[-75:] == [0.001] * 75


def test_a_table_cut_at_the_front_is_read_from_its_first_whole_row(tmp_path: Path) -> None:
    path = tmp_path / "log.csv"
    path.write_text("\n".join(["6667,0.0010,1.2000", *ROWS[3:]]) + "\n")
    table = READER.read(path)
    assert values(table, "col1") == [float(row.split(",")[1]) for row in ROWS[3:]]
    assert any("no header" in note for note in english(table.notes))


def test_rows_of_one_width_are_not_looked_at_twice(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(csv_module, "LARGE_FILE_BYTES", 10)
    looked: list[str] = []
    whole = _csv_large.WholeRows

    def seen(file: BinaryIO, delimiter: str, usual: int, block: int) -> _csv_large.WholeRows:
        looked.append(delimiter)
        return whole(file, delimiter, usual, block)

    monkeypatch.setattr(_csv_large, "WholeRows", seen)
    assert steps(read(tmp_path / "even.csv", ROWS)) == list(range(80))
    assert not looked
    for torn in ("40,0.02", "40,0.02,0.001,1,1"):
        kept = steps(read(tmp_path / "torn.csv", [*ROWS[:40], torn, *ROWS[41:]]))
        assert kept == [i for i in range(80) if i != 40]
    assert looked == [",", ","]
    for rows in ([f"{ROWS[0]},1", *ROWS[1:]], [*ROWS[:79], f"{ROWS[79]},1"]):
        assert steps(read(tmp_path / "torn.csv", rows)) in (list(range(1, 80)), list(range(79)))
