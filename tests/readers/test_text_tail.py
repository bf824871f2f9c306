"""Logs that were cut within a number."""

from __future__ import annotations

from pathlib import Path

import pytest
from tables import points

from spikedoc.readers._text_lines import CleanLine
from spikedoc.readers._text_tail import Tail
from spikedoc.readers.text import READER

COUNT = 37


def loss(i: int) -> float:
    return round(2 / (1 + i / 50) + 0.0001, 4)


def test_a_torn_step_does_not_go_back(tmp_path: Path) -> None:
    path = tmp_path / "train.log"
    text = "".join(f"Loss of {loss(i):.4f} on iteration {i}\n" for i in range(COUNT))
    path.write_text(text + "Loss of 1.1495 on iteration 3", encoding="utf-8")
    assert points(READER.read(path), "Loss") == [(i, loss(i)) for i in range(COUNT)]


def test_a_torn_value_below_a_heading_is_left_out(tmp_path: Path) -> None:
    path = tmp_path / "train.log"
    block = "Step {i}\nTrain\n  loss: {x:.4f}\nValidation\n  loss: {v:.4f}\n"
    text = "".join(block.format(i=10 * i, x=loss(i), v=loss(i) + 1) for i in range(COUNT))
    path.write_text(f"{text}Step {10 * COUNT}\nTrain\n  loss: 1", encoding="utf-8")
    assert points(READER.read(path), "loss") == [(10 * i, loss(i)) for i in range(COUNT)]


@pytest.mark.parametrize(
    ("before", "last", "is_torn"),
    [
        ("loss: 0.{i}234", "loss: 0.12", True),
        ("loss: 0.{i}234", "loss: 1", True),
        ("loss: 0.{i}234", "loss: 0.9999", False),
        ("Accuracy: 93{i}/1000 (93%)", "Accuracy: 9", True),
        ("Accuracy: 93{i}/1000 (93%)", "Accuracy: 941", False),
        ("loss 0.5 at step {i}0", "loss 0.5 at step 7", True),
        ("loss 0.5 at step {i}0", "loss 0.5 at step 700", False),
        ("loss 0.5, {i} of 3", "loss 0.5, 9 of 3", False),
        ("lr {i}e-05", "lr 1", False),
    ],
)
def test_an_unfinished_number(before: str, last: str, is_torn: bool) -> None:
    tail = Tail()
    for i in range(1, 7):
        assert not tail.breaks_off(CleanLine(before.format(i=i), 1))
    assert tail.breaks_off(CleanLine(last, 1, is_finished=False)) is is_torn
    assert not tail.breaks_off(CleanLine(last, 1))
