"""On which side of its values a counter stands."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from spikedoc.readers._text_counter_order import Closing, Order


def seen(front: Sequence[str], between: Sequence[str], tail: Sequence[str], count: int) -> Order:
    order = Order(by_step=True)
    order.names += front
    for number in range(count):
        order.names += between if number else ()
        order.count(number)
    order.names += tail
    return order


@pytest.mark.parametrize(
    ("front", "tail", "is_closing"),
    [
        (["loss", "acc"], [], True),
        (["wd", "loss", "acc"], ["loss"], True),
        (["val_loss"], [], False),
        ([], ["loss", "acc"], False),
        (["loss", "acc"], ["loss", "acc"], False),
    ],
)
def test_the_names_above_the_first_and_below_the_last(
    front: list[str], tail: list[str], is_closing: bool
) -> None:
    found = seen(front, ["loss", "acc"], tail, 9).closing(is_finished=True)
    assert found == (Closing(True, frozenset({"loss", "acc"})) if is_closing else None)


def test_two_counters_show_nothing() -> None:
    assert seen(["loss"], ["loss"], [], 2).closing(is_finished=True) is None


def test_whole_records_on_both_sides_leave_it_open_unless_the_last_line_is_torn() -> None:
    order = seen(["loss"], ["loss"], ["loss"], 9)
    assert order.is_undecided(is_finished=True)
    assert not order.is_undecided(is_finished=False)
    assert order.closing(is_finished=False) is not None


def test_names_below_the_counter() -> None:
    found = seen(["loss"], ["lr", "loss"], ["lr"], 9).closing(is_finished=True)
    assert found is not None
    assert found.below == {"lr"}


def test_lines_that_were_not_looked_at_tell_nothing() -> None:
    order = seen(["loss"], ["loss"], [], 9)
    order.skip()
    order.count(10)
    assert order.closing(is_finished=True) is not None
