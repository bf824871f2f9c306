"""Lines that hold no number where those before held one are told of."""

from __future__ import annotations

from pathlib import Path

import pytest
from tables import points

from spikedoc.readers.base import Table
from spikedoc.readers.text import READER
from tests.notes import english

HEALTHY = "".join(f"step {i} loss 0.5 lr 0.1\n" for i in range(100))


def read(tmp_path: Path, text: str) -> Table:
    path = tmp_path / "train.log"
    path.write_text(text, encoding="utf-8")
    return READER.read(path)


@pytest.mark.parametrize("token", ["None", "*****", "1.2.3", "1,2,3", "N/A"])
@pytest.mark.parametrize("rest", ["", " lr 0.1"])
def test_what_is_no_number_is_told_of(tmp_path: Path, token: str, rest: str) -> None:
    lost = "".join(f"step {i} loss {token}{rest}\n" for i in range(100, 180))
    table = read(tmp_path, HEALTHY + "\n" + lost)
    assert len(points(table, "loss")) == 100
    assert {one.tag for one in table.series} == {"loss", "lr"}
    assert english(table.notes) == (
        "80 lines name loss without a number that can be read (lines 102 to 181,"
        f" the first has {token})",
    )


def test_the_last_line_alone_is_told_of(tmp_path: Path) -> None:
    (note,) = read(tmp_path, HEALTHY + "step 1,000 loss None\n").notes
    assert note.en.startswith("1 line names loss")


@pytest.mark.parametrize(
    "line",
    [
        "step 7 loss None",  # one line, and records follow
        "the loss None of step",
        "loss function at step 7",
        "step 7 of 9, loss: 0.5.",
        "step 7 time None",
        "loss None",
    ],
)
def test_other_lines_are_not(tmp_path: Path, line: str) -> None:
    assert read(tmp_path, f"{HEALTHY}{line}\n{HEALTHY}").notes == ()


def test_many_names_are_cut_short(tmp_path: Path) -> None:
    names = [f"loss_{letter}" for letter in "abcdef"]
    lines = [f"step {i} " + " ".join(f"{n}={x}" for n in names) for i, x in ((1, 0.5), (2, None))]
    (note,) = read(tmp_path, "\n".join(lines) + "\n").notes
    assert "loss_a, loss_b, loss_c … without" in note.en
