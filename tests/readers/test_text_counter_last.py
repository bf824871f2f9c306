"""Printed logs whose records close with their step."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from tables import points

from spikedoc.readers._text_counter_last import CLOSED, CounterLast, counter_first
from spikedoc.readers._text_lines import CleanLine
from spikedoc.readers.base import Table
from spikedoc.readers.text import READER

COUNT = 40


def loss(i: int) -> float:
    return round(2 / (1 + i / 50), 4)


def read(tmp_path: Path, text: str) -> Table:
    path = tmp_path / "train.log"
    path.write_text(text, encoding="utf-8")
    return READER.read(path)


def two_lines(i: int) -> str:
    return f"loss: {loss(i)}\nacc: {i / 100}\nstep: {i * 100}\n"


def one_line(i: int) -> str:
    return f"lr: 0.001, loss: {loss(i)}, acc: {i / 100}\nETA: 3 h 20 min\nStep {i * 100}/30000\n"


def with_blanks(i: int) -> str:
    return f"loss = {loss(i)}\nacc = {i / 100}\nepoch = {i * 100}\n\n"


def bare(i: int) -> str:
    return f"acc {i / 100}\nloss {loss(i)}\nglobal step {i * 100}\n"


@pytest.mark.parametrize("record", [two_lines, one_line, with_blanks, bare])
@pytest.mark.parametrize("before", ["", "lr: 0.1\nwd: 0.01\n", "3 GPUs\n\n"])
def test_values_are_of_the_step_below(
    tmp_path: Path, record: Callable[[int], str], before: str
) -> None:
    table = read(tmp_path, before + "".join(map(record, range(COUNT))))
    assert points(table, "loss") == [(100 * i, loss(i)) for i in range(COUNT)]
    assert points(table, "acc") == [(100 * i, i / 100) for i in range(COUNT)]
    assert CLOSED in table.notes


def test_a_record_that_breaks_off_before_its_step_has_none(tmp_path: Path) -> None:
    table = read(tmp_path, "".join(map(two_lines, range(COUNT))) + "loss: 0.3\n")
    assert points(table, "loss") == [(100 * i, loss(i)) for i in range(COUNT)]


@pytest.mark.parametrize("before", ["", "val_loss: 2.5\n", "loss: 2.5\nval_loss: 2.5\n"])
@pytest.mark.parametrize("counter", ["Step", "Epoch"])
def test_values_below_a_step_are_of_it(tmp_path: Path, before: str, counter: str) -> None:
    # what stands above the first step was measured before the training
    text = "".join(f"{counter} {i}\nloss: {loss(i)}\nval_loss: 2.25\n" for i in range(COUNT))
    table = read(tmp_path, before + text)
    assert points(table, "loss") == [(i, loss(i)) for i in range(COUNT)]
    assert CLOSED not in table.notes


def test_a_blank_line_above_each_step_says_that_it_opens() -> None:
    order = CounterLast()
    for line in ["loss: 3", *("", "Step 1", "loss: 2", "", "Step 2", "loss: 1", "", "Step 3")]:
        order.see(line)
    assert not order.is_found


def test_counters_that_fall_are_none() -> None:
    order = CounterLast()
    for line in ["loss: 3", "step: 10", "loss: 2", "step: 20", "loss: 1", "step: 20"]:
        order.see(line)
    assert not order.is_found


def test_each_counter_comes_first() -> None:
    lines = [CleanLine(text, 1) for text in ("lr: 1", "loss: 3", "step: 1", "loss: 2", "step: 2")]
    found = [line.text for line in counter_first(lines, ["loss"])]
    assert found == ["lr: 1", "step: 1", "loss: 3", "step: 2", "loss: 2"]
