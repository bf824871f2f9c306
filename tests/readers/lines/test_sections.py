"""Headings of training and of held-out data below the heading of a step or an epoch."""

from __future__ import annotations

from pathlib import Path

import pytest
from tables import points

from spikedoc.readers.base import Table
from spikedoc.readers.lines._sections import named_by, section_in
from spikedoc.readers.text import READER

COUNT = 40


def read(tmp_path: Path, text: str) -> Table:
    path = tmp_path / "train.log"
    path.write_text(text, encoding="utf-8")
    return READER.read(path)


@pytest.mark.parametrize(
    ("line", "section"),
    [
        ("Train", "train"),
        ("Training results:", "train"),
        ("--- Validation ---", "val"),
        ("[eval]", "val"),
        ("  Test set (10 batches):", "test"),
        ("Validation loss", ""),
        ("Test 3", ""),
        ("Trainer", ""),
        ("evaluating", "val"),
        ("Valset", "val"),
        ("Holdout stats", "val"),
        ("Out-of-sample", "val"),
        ("In-sample", "train"),
        ("Insample rate 3", ""),
    ],
)
def test_what_a_heading_says(line: str, section: str) -> None:
    assert section_in(line) == section


def test_names_that_say_it_themselves_stay() -> None:
    values = {"loss": 1.0, "val_acc": 2.0, "train loss": 3.0, "lr": 4.0}
    found = {"val_loss": 1.0, "val_acc": 2.0, "train loss": 3.0, "lr": 4.0}
    assert named_by("val", values) == found
    assert named_by("train", values) == values


BLOCKS = [
    "{c} {i}\nTrain\n  loss: {x}\n  acc: 0.5\nValidation\n  loss: {y}\n  acc: 0.25\n",
    "{c} {i}/40\n[train]\nloss={x} acc=0.5\n[eval]\nloss={y} acc=0.25\n",
    "{c}: {i}\nloss: {x}\nacc: 0.5\nlr: 0.1\n--- Validation set ---\nloss: {y}\nacc: 0.25\n",
    "{c} #{i}\nValidation results:\nloss: {y}, acc: 0.25\nTraining results:\nloss: {x}, acc: 0.5\n",
]


@pytest.mark.parametrize("block", BLOCKS)
@pytest.mark.parametrize("counter", ["Step", "Epoch"])
def test_held_out_values_have_series_of_their_own(tmp_path: Path, block: str, counter: str) -> None:
    rows = [(i, 2 / (1 + i), 3 / (1 + i)) for i in range(COUNT)]
    table = read(tmp_path, "".join(block.format(c=counter, i=i, x=x, y=y) for i, x, y in rows))
    assert points(table, "loss") == [(i, x) for i, x, _ in rows]
    assert points(table, "val_loss") == [(i, y) for i, _, y in rows]
    assert points(table, "acc") == [(i, 0.5) for i, _, _ in rows]
    assert points(table, "val_acc") == [(i, 0.25) for i, _, _ in rows]


@pytest.mark.parametrize("heading", ["Validation", "Validation Epoch: {i}"])
def test_a_section_behind_a_line_of_training(tmp_path: Path, heading: str) -> None:
    block = f"Epoch {{i}}: loss {{x}}\n{heading}\nloss {{y}} acc 0.25\n"
    rows = [(i, 2 / (1 + i), 3 / (1 + i)) for i in range(COUNT)]
    table = read(tmp_path, "".join(block.format(i=i, x=x, y=y) for i, x, y in rows))
    assert points(table, "loss") == [(i, x) for i, x, _ in rows]
    assert points(table, "val_loss") == [(i, y) for i, _, y in rows]


def test_a_line_with_a_place_ends_a_section(tmp_path: Path) -> None:
    text = "".join(
        f"Epoch {i} loss {2 / (1 + i)}\nTest\nacc: 0.25\nEpoch {i} lr 0.1\nreward: {i}\n"
        for i in range(COUNT)
    )
    table = read(tmp_path, text)
    assert [value for _, value in points(table, "reward")] == list(range(COUNT))
