"""Tables that are still being written: what may be half a number is left out."""

from __future__ import annotations

from pathlib import Path

import pytest
from tables import points, series

from spikedoc.readers import csv as csv_module
from spikedoc.readers._csv_end import CUT_NOTE, cut_row
from spikedoc.readers.base import Table
from spikedoc.readers.csv import READER
from tests.notes import english

CUT = CUT_NOTE.en
HEADER = "step,lr,loss\n"
ROWS = [f"{step},0.1,{3 + 1 / (step + 1):.4f}\n" for step in range(8, 13)]


@pytest.fixture(params=["small", "large"])
def parser(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    if request.param == "large":
        monkeypatch.setattr(csv_module, "LARGE_FILE_BYTES", 10)
    return str(request.param)


def read(folder: Path, text: str) -> Table:
    path = folder / "log.csv"
    path.write_bytes(text.encode())
    return READER.read(path)


@pytest.mark.usefixtures("parser")
def test_wherever_the_file_ends_all_values_are_true(tmp_path: Path) -> None:
    text = HEADER + "".join(ROWS)
    whole = points(read(tmp_path, text), "loss")
    assert len(whole) == len(ROWS)
    for length in range(len(HEADER + ROWS[0] + ROWS[1]), len(text)):
        found = points(read(tmp_path, text[:length]), "loss")
        assert found == whole[: len(found)]
        finished = text[:length].count("\n") - 1
        assert len(found) == finished + (text[length] == "\n")


@pytest.mark.usefixtures("parser")
@pytest.mark.parametrize(
    ("rows", "last", "is_kept"),
    [
        ("1,0.500\n2,0.250\n", "3,0.125", True),
        ("1,0.500\n2,0.250\n", "3,0.1", False),
        ("1,0.500\n2,0.250\n", "3,", False),
        ("1,0.500\n2,0.250\n", "3,-", False),
        ("1,0.500\n2,0.250\n", "3", False),
        ("1,0.500\n2,0.250\n", "3,nan", True),
        ("1,0.500\n2,\n", "3,0.1", False),
        ("1,0.500\n2,\n", "3,", True),
        ("1,1e-05\n2,2e-05\n", "3,1e-0", False),
        ("1,1e-05\n2,2e-05\n", "3,1", False),
        ("1,10.5\n2,10.1\n", "3,9.5", True),
        ("1,100\n2,101\n", "3,10", False),
        ("1,50.5%\n2,60.5%\n", "3,70.5%", True),
        ('1,"0.500"\n2,"0.250"\n', '3,"0.1', False),
    ],
)
def test_the_last_row_without_a_line_end(
    tmp_path: Path, rows: str, last: str, is_kept: bool
) -> None:
    table = read(tmp_path, f"step,loss\n0,1\n{rows}{last}")
    # a row that holds a step alone counts for no series
    steps = [step for step, _ in points(table, "loss")]
    assert (CUT in english(table.notes)) is not is_kept
    assert (3 in steps) is (is_kept and not last.endswith(","))
    finished = read(tmp_path, f"step,loss\n0,1\n{rows}{last}\n")
    assert CUT not in english(finished.notes)


@pytest.mark.usefixtures("parser")
def test_a_block_of_the_writer(tmp_path: Path) -> None:
    text = "step,loss\n" + "".join(f"{step},{1 / (step + 1):.6e}\n" for step in range(400))
    table = read(tmp_path, text[:4096])
    assert len(points(table, "loss")) == text[:4096].count("\n") - 1
    assert any("block of the writer" in note.en for note in table.notes)


def test_a_file_that_grows_while_it_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(csv_module, "LARGE_FILE_BYTES", 10)
    monkeypatch.setattr("spikedoc.readers._csv_large.ROWS_AT_A_TIME", 1_000)
    row = "{},0.1250,0.2500,0.5000,0.7500,0.8750\n"
    count = 50_000
    path = tmp_path / "log.csv"
    text = "step,a,b,c,d,e\n" + "".join(map(row.format, range(count)))
    path.write_text(text, encoding="ascii")

    def grow(done: int, size: int) -> None:
        assert 0 <= done <= size == len(text)
        with path.open("a", encoding="ascii") as file:
            file.write(f"{count},0.1250,0.2500,0.5000,0.7")

    found = series(READER.read(path, grow))
    assert path.stat().st_size > len(text)
    for tag in "abcde":
        assert found[tag].steps.tolist() == list(range(count))
        assert len(set(found[tag].values)) == 1


def test_length_of_the_cut_row() -> None:
    assert cut_row("step,loss\r\n1,0.25\r\n2,0.", 100, ",") == (4, CUT_NOTE)
    assert cut_row("step,loss\r1,0.25\r2,0.12", 100, ",") == (0, None)
    assert cut_row("step loss\n1  0.25\n2  0.", 100, " ") == (5, CUT_NOTE)
    assert cut_row("0.25", 100, ",") == (0, None)
    assert cut_row("", 0, ",") == (0, None)
