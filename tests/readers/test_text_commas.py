"""Commas that group thousands, told from decimal commas by how the numbers run on."""

from __future__ import annotations

from pathlib import Path

import pytest
from tables import points

from spikedoc.readers._text_commas import Commas
from spikedoc.readers.text import READER
from tests.notes import english


def test_numbers_that_run_on_across_a_thousand(tmp_path: Path) -> None:
    path = tmp_path / "train.log"
    path.write_text("".join(f"step: {i * 100:,} loss: {2000 - i * 5:,}\n" for i in range(300)))
    table = READER.read(path)
    assert points(table, "loss") == [(i * 100, 2000 - i * 5) for i in range(300)]
    assert any("commas are read as thousands separators" in one for one in english(table.notes))


def test_a_reward_shows_what_the_commas_of_the_loss_are(tmp_path: Path) -> None:
    path = tmp_path / "train.log"
    path.write_text(
        "".join(f"Epoch {i}: loss {1900 - i * 3:,} reward {i * 7:,}\n" for i in range(300))
    )
    table = READER.read(path)
    assert points(table, "loss") == [(i, 1900 - i * 3) for i in range(300)]
    assert points(table, "reward") == [(i, i * 7) for i in range(300)]


@pytest.mark.parametrize(
    ("lines", "groups", "note"),
    [
        (["step 900", "step 1,000"], True, "behind 900 of step comes 1,000"),
        (["loss 1,005", "loss 995"], True, "behind 1,005 of loss comes 995"),
        (["step 900", "step 1,000", "loss 0,838"], False, ""),  # decimal commas for certain
        (["loss 2,500", "loss 2,311"], False, "could group thousands"),
        (["loss 3", "loss 1,234"], False, "could group thousands"),
        (["shape 3,224,224", "list 900,1,000"], False, ""),
        (["loss 0.5 step 10", "loss 0.4 step 20"], False, ""),
        ([], False, ""),
    ],
)
def test_what_commas_are(lines: list[str], groups: bool, note: str) -> None:
    commas = Commas(lines)
    assert commas.are_grouping is groups
    assert (commas.note is not None) is bool(note)
    assert commas.note is None or note in commas.note.en


def test_decimal_commas_stay_such_and_a_guess_is_told(tmp_path: Path) -> None:
    path = tmp_path / "train.log"
    path.write_text(
        "".join(f"step {i} loss: {2 + i / 100:.3f}\n" for i in range(50)).replace(".", ",")
    )
    table = READER.read(path)
    assert points(table, "loss") == [(i, round(2 + i / 100, 3)) for i in range(50)]
    assert any("could group thousands" in one for one in english(table.notes))
