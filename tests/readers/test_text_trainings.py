"""Trainings one after the other in one printed log of the Trainer."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from tables import points

from spikedoc.readers._text_trainings import FRESH_STRIDES, TRAININGS, Finished
from spikedoc.readers.base import Table
from spikedoc.readers.text import READER


def finished(places: list[float], rows: list[int], epochs: list[str], *, steps: bool) -> list[int]:
    """Return where trainings begin in records of one a row."""
    one = Finished()
    for row, epoch in zip(rows, epochs, strict=True):
        one.close(row, epoch, {})
    every = np.arange(len(places), dtype=np.int64)
    return one.begins(every, np.array(places), are_epochs=not steps)


def lines(epochs: list[float], start: float) -> str:
    """Return what the Trainer prints, its evaluation and its summary behind it."""
    rows = [str({"loss": start - 0.1 * e, "learning_rate": 1e-4 / e, "epoch": e}) for e in epochs]
    last = epochs[-1]
    rows.append(str({"train_runtime": 9.1, "train_loss": start, "epoch": last}))
    return "\n".join([*rows, str({"eval_loss": start, "epoch": last}), ""])


def read(tmp_path: Path, text: str) -> Table:
    path = tmp_path / "train.log"
    path.write_text(text)
    return READER.read(path)


@pytest.mark.parametrize(
    ("behind", "begins"),
    [
        ([1.0, 2.0, 3.0], [3]),  # as the first one
        ([2.0, 3.0], [3]),  # the first record is missing
        ([3.0], [3]),  # all its epochs in one record
        ([3.0, 4.0], []),  # resumed an epoch before the end
        ([2.5, 3.0], []),
        ([4.0, 5.0], []),  # goes on
        ([0.2, 0.4], [3]),
    ],
)
def test_a_training_begins_where_the_next_one_goes_back(
    behind: list[float], begins: list[int]
) -> None:
    assert finished([1.0, 2.0, 3.0, *behind], [3], ["3.0"], steps=False) == begins


def test_the_stride_of_one_training_does_not_reach_into_the_next() -> None:
    places = [0.5, 1.0, 0.8, 1.0, 2.0]
    assert finished(places, [2, 3], ["1.0", "1.0"], steps=False) == [2, 3]


def test_the_summary_tells_how_far_a_training_went() -> None:
    # the last record stands at 0.9 of the only epoch, the next training logs once, at its end
    assert finished([0.45, 0.9, 1.0], [2], ["1.0"], steps=False) == [2]
    assert finished([45, 90, 100], [2], ["1.0"], steps=True) == []


def test_epochs_of_two_decimals_are_no_exact_strides() -> None:
    epochs = [round(step / 63, 2) for step in range(1, 64)]
    assert epochs[0] > FRESH_STRIDES * (epochs[1] - epochs[0])
    assert finished([*epochs, *epochs], [63], ["1.0"], steps=False) == [63]


def test_settings_of_each_training() -> None:
    one = Finished()
    one.close(3, "1.0", {"epochs": 1})
    one.close(7, "2.0", {"epochs": 2})
    ends = (3, 7, 9, None)
    assert [one.config(end, {"epochs": 5})["epochs"] for end in ends] == [1, 2, 2, 5]
    assert Finished().config(None, {}) == {}


def test_each_training_has_its_own_steps_per_epoch(tmp_path: Path) -> None:
    text = lines([0.25, 0.5, 0.75, 1.0], 2.0) + lines([0.2, 0.4, 0.6, 0.8, 1.0], 1.0)
    table = read(tmp_path, text)
    assert [step for step, _ in points(table, "loss")] == [1, 2, 3, 4, 1, 2, 3, 4, 5]
    assert [step for step, _ in points(table, "eval_loss")] == [4, 5]
    assert table.begins == (5,)
    assert TRAININGS.fill({"count": 2}) in table.notes


def test_what_was_announced_and_drawn_counts_for_its_training_alone(tmp_path: Path) -> None:
    def training(steps: int) -> str:
        bar = "".join(f"\r{n}/{steps} [00:12<02:18, 1.2it/s]" for n in (steps // 2,))
        head = f"  Num Epochs = 1\n  Total optimization steps = {steps}\n"
        first, last = lines([0.5, 1.0], 2.0).split("\n", 1)
        return f"{head}{first}\n{bar}\n{last}"

    table = read(tmp_path, training(400) + training(100))
    assert [step for step, _ in points(table, "loss")] == [200, 400, 50, 100]


def test_a_training_that_goes_on_is_one(tmp_path: Path) -> None:
    table = read(tmp_path, lines([1.0, 2.0, 3.0], 2.0) + lines([4.0, 5.0], 1.0))
    assert table.begins == ()
    assert not any("one after the other" in note.en for note in table.notes)


def test_a_training_whose_loss_has_another_name(tmp_path: Path) -> None:
    second = lines([0.25, 0.5, 0.75, 1.0], 3.0).replace("'loss'", "'embedding_loss'")
    table = read(tmp_path, lines([1.0, 2.0, 3.0], 2.0) + second)
    assert len(table.begins) == 1
    assert [step for step, _ in points(table, "embedding_loss")] == [1, 2, 3, 4]
