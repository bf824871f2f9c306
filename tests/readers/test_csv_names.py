"""Tables of one column whose file says what it holds."""

from __future__ import annotations

from pathlib import Path

import pytest
from tables import points

from spikedoc.readers.csv import READER

LOSSES = [round(2 * 0.97**i, 4) for i in range(60)]


@pytest.mark.parametrize(
    ("name", "tag"), [("loss.csv", "loss"), ("val_acc.txt", "val_acc"), ("results.csv", "col0")]
)
@pytest.mark.parametrize("form", ["{x}", "{x:.18e}"])
def test_a_column_without_a_header(tmp_path: Path, name: str, tag: str, form: str) -> None:
    path = tmp_path / name
    path.write_text("".join(form.format(x=x) + "\n" for x in LOSSES))
    assert READER.accepts(path, path.read_bytes())
    assert points(READER.read(path), tag) == list(enumerate(LOSSES))


@pytest.mark.parametrize(("head", "row"), [("0", "{x}"), (",0", "{i},{x}"), ("", "{i} {x}")])
def test_what_pandas_and_numpy_write(tmp_path: Path, head: str, row: str) -> None:
    path = tmp_path / "loss.csv"
    rows = [row.format(i=i, x=x) for i, x in enumerate(LOSSES)]
    path.write_text("\n".join([head, *rows] if head else rows) + "\n")
    assert points(READER.read(path), "loss") == list(enumerate(LOSSES))


def test_a_name_in_the_header_stays(tmp_path: Path) -> None:
    path = tmp_path / "loss.csv"
    path.write_text("step,acc\n" + "".join(f"{i},{x}\n" for i, x in enumerate(LOSSES)))
    assert points(READER.read(path), "acc") == list(enumerate(LOSSES))
