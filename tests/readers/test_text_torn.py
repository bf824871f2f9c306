"""Printed lines that break off, and two records in one line."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path

import pytest

from spikedoc.readers.base import Table
from spikedoc.readers.text import READER
from tests.notes import english

COUNT = 60
MIDDLE = 30
ROUNDED = 0.1  # a number that lost some of its digits


def pair(i: int) -> str:
    return f"step={i} loss={1 / (i + 1):.6f} lr=0.0010 grad_norm={1 + i % 7 / 10:.4f}"


def iteration(i: int) -> str:
    return f"Iteration {i}, loss = {1 / (i + 1):.6f}, lr = 0.001000, grad_norm = {1 + i % 7:.4f}"


def clu(i: int) -> str:
    front = f"I1130 07:01:{i % 60:02d}.416891 140042420857728 logging_writer.py:48]"
    return f"{front} [{i}] grad_norm={1 + i % 7:.4f}, loss={1 / (i + 1):.6f}, lr=0.001000"


Line = Callable[[int], str]


def read(path: Path, lines: list[str]) -> Table:
    path.write_text("\n".join(lines) + "\n")
    return READER.read(path)


def points(table: Table, tag: str) -> dict[int, float]:
    found = next(one for one in table.series if one.tag == tag)
    return dict(zip(found.steps.tolist(), found.values.tolist(), strict=True))


@pytest.mark.parametrize("line", [pair, iteration, clu])
def test_no_cut_of_a_line_makes_a_value(tmp_path: Path, line: Line) -> None:
    whole = read(tmp_path / "whole.log", [line(i) for i in range(COUNT)])
    for length in range(len(line(MIDDLE))):
        lines = [line(i) for i in range(COUNT)]
        lines[MIDDLE] = lines[MIDDLE][:length]
        table = read(tmp_path / "train.log", lines)
        for one in table.series:
            known = points(whole, one.tag)
            for step, value in points(table, one.tag).items():
                assert value == pytest.approx(known[step], rel=ROUNDED), lines[MIDDLE]


@pytest.mark.parametrize("line", [pair, iteration, clu])
def test_the_second_of_two_records_in_one_line(tmp_path: Path, line: Line) -> None:
    whole = read(tmp_path / "whole.log", [line(i) for i in range(COUNT)])
    first = line(MIDDLE)
    for length in range(first.rindex(".") + 2, len(first) + 1):
        lines = [line(i) for i in range(COUNT)]
        lines[MIDDLE : MIDDLE + 2] = [first[:length] + line(MIDDLE + 1)]
        table = read(tmp_path / "train.log", lines)
        for one in table.series:
            known = points(whole, one.tag)
            assert points(table, one.tag) == {s: v for s, v in known.items() if s != MIDDLE}
        assert english(table.notes) == (
            "1 line holds two records that ran into each other; only the second was read",
        )


def test_the_rest_of_a_line_is_no_record(tmp_path: Path) -> None:
    whole = read(tmp_path / "whole.log", [pair(i) for i in range(COUNT)])
    for length in range(len(pair(MIDDLE))):
        lines = [pair(i) for i in range(COUNT)]
        lines[MIDDLE : MIDDLE + 1] = [lines[MIDDLE][:length], lines[MIDDLE][length:]]
        table = read(tmp_path / "train.log", lines)
        for one in table.series:
            assert points(table, one.tag).keys() <= points(whole, one.tag).keys(), lines[MIDDLE:]


@pytest.mark.parametrize(("short", "told"), [("0.99", True), ("1.5", True), ("0.9", False)])
def test_a_number_that_ends_in_zeros_is_whole(tmp_path: Path, short: str, told: bool) -> None:
    lines = [f"step={i} loss={1 / (i + 1.3):.6g}" for i in range(COUNT)]
    lines[MIDDLE] = f"step={MIDDLE} loss={short}"
    found = points(read(tmp_path / "train.log", lines), "loss")
    assert found.get(MIDDLE) == (float(short) if told else None)
    assert len(found) == COUNT - (not told)


def test_short_lines_that_come_otherwise_are_whole(tmp_path: Path) -> None:
    lines = [f"step={i} loss=0.{'5' * (i % 3 + 2)}" for i in range(COUNT)]
    lines = [f"{text} lr=0.1" if i % 10 == 9 else text for i, text in enumerate(lines)]
    table = read(tmp_path / "train.log", lines)
    assert len(points(table, "loss")) == COUNT
    assert table.notes == ()


def test_lines_that_open_with_a_number_are_records_where_all_do(tmp_path: Path) -> None:
    table = read(tmp_path / "train.log", [f"{i} loss=0.5 lr=0.1" for i in range(COUNT)])
    assert points(table, "loss") == dict.fromkeys(range(COUNT), 0.5)


@pytest.mark.parametrize("end", ["\n", ""])
@pytest.mark.parametrize("form", ["step {} loss={:.5g}", "[{}] lr=0.1, g_loss={:.5g}"])
def test_short_numbers_come_by_themselves_where_zeros_are_not_printed(
    tmp_path: Path, form: str, end: str
) -> None:
    rows = [(i, 0.01 + 9 * i / 800) for i in range(800)] + [(800, 10.22)]
    path = tmp_path / "train.log"
    path.write_text("\n".join(form.format(*row) for row in rows) + end)
    table = READER.read(path)
    tag = "g_loss" if "g_loss" in form else "loss"
    assert points(table, tag) == {i: float(f"{x:.5g}") for i, x in rows}
    assert not any("break" in note or "finished" in note for note in english(table.notes))


def test_a_number_with_all_its_digits_is_torn_where_hardly_any_is_left(tmp_path: Path) -> None:
    lines = [f"step {i} loss={math.log(i + 3) / 10!r}" for i in range(60)]
    lines[30] = "step 30 loss=0.3"
    table = read(tmp_path / "train.log", lines)
    assert 30 not in points(table, "loss")
    assert len(points(table, "loss")) == 59
