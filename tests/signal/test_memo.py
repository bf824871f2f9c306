"""Answers are kept for the very same read-only arrays, inside the block, and nowhere else."""

from __future__ import annotations

import numpy as np
import pytest

from spikedoc.signal import memo as module
from spikedoc.signal.memo import remembered, remembered_up_to, remembering


class Counted:
    """A function of an array that counts how often it was really asked."""

    def __init__(self) -> None:
        self.asked = 0

        def total(values: np.ndarray, factor: float) -> float:
            self.asked += 1
            return float(values.sum()) * factor

        self.total = remembered(total)


def fixed(*numbers: float) -> np.ndarray:
    values = np.array(numbers)
    values.setflags(write=False)
    return values


def test_the_same_array_is_asked_once() -> None:
    counted, values = Counted(), fixed(1.0, 2.0)
    with remembering():
        assert [counted.total(values, 2.0) for _ in range(3)] == [6.0, 6.0, 6.0]
        assert counted.asked == 1
        assert counted.total(values, 3.0) == 9.0
        assert counted.total(fixed(1.0, 2.0), 2.0) == 6.0
    assert counted.asked == 3


def test_nothing_is_kept_outside_the_block_or_from_one_block_to_the_next() -> None:
    counted, values = Counted(), fixed(1.0)
    for _ in range(2):
        counted.total(values, 1.0)
        with remembering():
            counted.total(values, 1.0)
    assert counted.asked == 4


def test_an_array_that_can_be_written_is_asked_again() -> None:
    counted, values = Counted(), np.array([1.0, 2.0])
    with remembering():
        assert counted.total(values, 1.0) == 3.0
        values[0] = 5.0
        assert counted.total(values, 1.0) == 7.0


def test_only_the_last_answers_are_kept() -> None:
    counted = Counted()
    many = [fixed(float(n)) for n in range(module.MOST_KEPT + 1)]
    with remembering():
        for values in many:
            counted.total(values, 1.0)
        counted.total(many[-1], 1.0)
        assert counted.asked == len(many)
        counted.total(many[0], 1.0)  # let go of
    assert counted.asked == len(many) + 1


def test_a_block_within_a_block_begins_anew() -> None:
    counted, values = Counted(), fixed(1.0)
    with remembering():
        counted.total(values, 1.0)
        with remembering():
            counted.total(values, 1.0)
        counted.total(values, 1.0)
    assert counted.asked == 2


def test_small_answers_may_be_kept_in_greater_number() -> None:
    asked: list[float] = []

    @remembered_up_to(8)
    def first(values: np.ndarray) -> float:
        asked.append(float(values[0]))
        return asked[-1]

    many = [fixed(float(n)) for n in range(9)]
    with remembering():
        for values in many:
            first(values)
        assert [first(values) for values in many[1:]] == list(range(1, 9))
        assert len(asked) == 9
        first(many[0])  # the ninth but last
    assert len(asked) == 10


def test_large_answers_make_room_for_each_other(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "LARGE", 80)
    monkeypatch.setattr(module, "MOST_BYTES", 200)
    asked: list[str] = []

    @remembered
    def doubled(values: np.ndarray) -> tuple[np.ndarray]:
        asked.append("doubled")
        return (values * 2,)

    @remembered
    def halved(values: np.ndarray) -> np.ndarray:
        asked.append("halved")
        return values / 2

    @remembered
    def looked_at(values: np.ndarray) -> np.ndarray:
        asked.append("looked at")
        return values[1:]

    one, other = fixed(*range(10)), fixed(*range(12))  # answers of 80 and 96 bytes
    with remembering():
        doubled(one), halved(other), looked_at(one), looked_at(other)  # looks take no memory
        assert asked == ["doubled", "halved", "looked at", "looked at"]
        doubled(one)  # used last now
        halved(one)  # 256 bytes in all: the oldest of them goes
        asked.clear()
        doubled(one), halved(one), looked_at(one), looked_at(other)
        assert asked == []
        halved(other)
        assert asked == ["halved"]


def test_an_answer_beyond_all_room_is_given_and_not_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "LARGE", 80)
    monkeypatch.setattr(module, "MOST_BYTES", 100)
    asked: list[int] = []

    @remembered
    def squares(values: np.ndarray) -> np.ndarray:
        asked.append(values.size)
        return values**2

    with remembering():
        first = [float(squares(fixed(*range(20)))[-1]) for _ in range(2)]
    assert first == [361.0, 361.0]
    assert asked == [20, 20]
