"""Printed logs whose records close with their step."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from tables import points

from spikedoc.readers._text_counter_last import CLOSED, OPEN, CounterLast, counter_first
from spikedoc.readers._text_counter_order import Closing
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


@pytest.mark.parametrize("prefix", ["", "[rank0]: "])
@pytest.mark.parametrize("message", ["", "saving checkpoint to ckpt_{i}.pt\n"])
@pytest.mark.parametrize("end", ["", "Done. best acc: 0.9\n", "Traceback (line 12)\n"])
def test_messages_around_records_leave_values_where_they_are(
    tmp_path: Path, prefix: str, message: str, end: str
) -> None:
    text = ""
    for i in range(COUNT):
        lines = two_lines(i).splitlines(keepends=True)
        text += "".join(prefix + line for line in (*lines, message.format(i=i)) if line)
    table = read(tmp_path, text + end)
    assert points(table, "loss") == [(100 * i, loss(i)) for i in range(COUNT)]
    assert points(table, "acc") == [(100 * i, i / 100) for i in range(COUNT)]
    assert CLOSED in table.notes


@pytest.mark.parametrize("each", [3, 5])
@pytest.mark.parametrize("message", ["", "saving checkpoint to ckpt_7.pt\n"])
def test_records_may_hold_more_or_less_than_others(tmp_path: Path, each: int, message: str) -> None:
    validated = [f"val_loss: {loss(i) + 1}\n" if i % each == 0 else "" for i in range(COUNT)]
    missing = ["" if i % each == 0 else f"acc: {i / 100}\n" for i in range(COUNT)]
    records = (
        f"loss: {loss(i)}\n{validated[i]}{missing[i]}{message}step: {i * 100}\n"
        for i in range(COUNT)
    )
    table = read(tmp_path, "".join(records))
    assert points(table, "loss") == [(100 * i, loss(i)) for i in range(COUNT)]
    assert points(table, "val_loss") == [(100 * i, loss(i) + 1) for i in range(0, COUNT, each)]
    assert points(table, "acc") == [(100 * i, i / 100) for i in range(COUNT) if i % each]
    assert CLOSED in table.notes


def test_a_training_that_was_resumed_once_goes_back(tmp_path: Path) -> None:
    rows = [*range(30), *range(25, COUNT)]
    table = read(tmp_path, "".join(map(two_lines, rows)))
    assert points(table, "loss") == [(100 * i, loss(i)) for i in rows]
    assert CLOSED in table.notes


def test_a_blank_line_above_each_step_of_whole_records(tmp_path: Path) -> None:
    text = "".join(two_lines(i).replace("step", "\nstep") for i in range(COUNT))
    table = read(tmp_path, text)
    assert points(table, "loss") == [(100 * i, loss(i)) for i in range(COUNT)]
    assert CLOSED in table.notes


@pytest.mark.parametrize("record", ["{v}epoch: {e}\nstep: {i}\n", "{v}step: {i}\nepoch: {e}\n"])
def test_an_epoch_beside_the_step_is_a_value(tmp_path: Path, record: str) -> None:
    rows = [(100 * i, i // 10, f"loss: {loss(i)}\n") for i in range(COUNT)]
    table = read(tmp_path, "".join(record.format(i=i, e=e, v=v) for i, e, v in rows))
    assert points(table, "loss") == [(100 * i, loss(i)) for i in range(COUNT)]
    assert points(table, "epoch") == [(i, e) for i, e, _ in rows]


@pytest.mark.parametrize(
    "record",
    [
        "loss: {x}\nstep: {i}\nlr: {r}\n",
        "loss: {x}\nstep: {i}\nlr: {r}\n\n",
        "---\nloss: {x}\nstep: {i}\nlr: {r}\n",
    ],
)
def test_a_step_among_the_values_of_its_record(tmp_path: Path, record: str) -> None:
    rows = [(100 * i, loss(i), round(i / 1000, 4)) for i in range(COUNT)]
    table = read(tmp_path, "".join(record.format(i=i, x=x, r=r) for i, x, r in rows))
    assert points(table, "loss") == [(i, x) for i, x, _ in rows]
    assert points(table, "lr") == [(i, r) for i, _, r in rows]
    assert CLOSED in table.notes


def test_values_of_two_ranks_are_of_their_steps(tmp_path: Path) -> None:
    lines = (
        f"[rank{r}]: loss: {loss(i) + r}\n[rank{r}]: step: {i * 100}\n"
        for i in range(COUNT)
        for r in range(2)
    )
    table = read(tmp_path, "".join(lines))
    assert points(table, "loss/rank1") == [(100 * i, loss(i) + 1) for i in range(COUNT)]


@pytest.mark.parametrize("end", ["loss: 1.1", "loss: 1.14\nacc: 0.4", "loss: 1.14\nacc: 0.4\nst"])
@pytest.mark.parametrize("more", ["", "ep: 3", "acc: 0.41\nstep: 4"])
def test_a_log_that_breaks_off_within_a_record(tmp_path: Path, end: str, more: str) -> None:
    end = f"loss: 1.14\n{more}" if more else end
    table = read(tmp_path, "".join(map(two_lines, range(COUNT))) + end)
    assert points(table, "loss") == [(100 * i, loss(i)) for i in range(COUNT)]
    assert points(table, "acc") == [(100 * i, i / 100) for i in range(COUNT)]


def test_values_above_the_first_step_and_below_the_last_leave_it_open(tmp_path: Path) -> None:
    text = "".join(f"loss: {loss(i)}\nstep: {i}\n" for i in range(COUNT)) + "loss: 1.1\n"
    assert OPEN in read(tmp_path, text).notes
    text = "".join(f"step: {i}\nloss: {loss(i)}\n" for i in range(COUNT))
    assert OPEN not in read(tmp_path, text).notes


@pytest.mark.parametrize("front", ["lr: 0.1\n", "val_loss: 3\n"])
def test_settings_and_a_validation_before_the_training_close_no_record(
    tmp_path: Path, front: str
) -> None:
    rows = [(i, loss(i)) for i in range(1, COUNT)]
    text = "".join(f"step: {i}\nloss: {x}\nval_loss: 2.5\nlr: 0.1\n" for i, x in rows)
    # the last record breaks off
    table = read(tmp_path, front + text + f"step: {COUNT}\nloss: 1\n")
    assert points(table, "loss") == [*rows, (COUNT, 1.0)]
    assert CLOSED not in table.notes


def test_a_blank_line_above_each_epoch_says_that_it_opens() -> None:
    order = CounterLast()
    for line in ["loss: 3", *("", "Epoch 1", "loss: 2", "", "Epoch 2", "loss: 1", "", "Epoch 3")]:
        order.see(line)
    assert order.closing is None


def test_counters_that_fall_are_none() -> None:
    order = CounterLast()
    for line in ["loss: 3", "step: 10", "loss: 2", "step: 20", "loss: 1", "step: 20"]:
        order.see(line)
    assert order.closing is None


def test_each_counter_comes_first() -> None:
    lines = [CleanLine(text, 1) for text in ("lr: 1", "loss: 3", "step: 1", "loss: 2", "step: 2")]
    closing = Closing(by_step=True, names=frozenset({"loss"}))
    found = [line.text for line in counter_first(lines, closing)]
    assert found == ["lr: 1", "step: 1", "loss: 3", "step: 2", "loss: 2"]
