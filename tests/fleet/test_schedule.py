from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from spikedoc.fleet.engines.base import Done, Work
from spikedoc.fleet.schedule import BY_ITSELF, carried_out


class Fragile:
    """An engine like a pool of processes: a poisonous item kills all that is under way."""

    slots = 3

    def __init__(self, poison: set[int], last: bool = True) -> None:
        self.poison, self.last = poison, last
        self.flying: list[tuple[int, Work, Sequence[Any]]] = []
        self.deaths = 0
        self.calls: list[int] = []

    def submit(self, ticket: int, work: Work, items: Sequence[Any]) -> None:
        self.flying.append((ticket, work, items))

    def wait(self) -> list[Done]:
        place = -1 if self.last else 0
        ticket, work, items = self.flying[place]
        if self.poison.isdisjoint(items):
            self.calls.extend(items)
            del self.flying[place]
            return [(ticket, [work(item) for item in items])]
        self.deaths += 1
        dead = [(ticket, None) for ticket, _, _ in self.flying]
        self.flying.clear()
        return dead

    def close(self, *, now: bool) -> None:
        pass


@given(st.lists(st.integers(1, 4), max_size=8), st.integers(0, 2**16 - 1), st.booleans())
def test_all_come_back_but_what_kills(sizes: list[int], bits: int, last: bool) -> None:
    poison = {n for n in range(16) if bits >> n & bits >> (n + 7) & 1}
    engine, batches, at = Fragile(poison, last), [], 0
    for size in sizes:
        batches.append(range(at, at + size))
        at += size
    found = [pair for part in carried_out(engine, lambda n: n * n, batches) for pair in part]
    assert sorted(item for item, _ in found) == list(range(at))
    for item, result in found:
        assert result == (None if item in poison else item * item)
    assert len(engine.calls) == len(set(engine.calls)), "what was finished is not done again"


def test_poison_is_tried_alone_before_it_is_given_up() -> None:
    engine = Fragile({1})
    list(carried_out(engine, lambda n: n, [[0, 1, 2], [3]]))
    assert engine.deaths == BY_ITSELF + 1


def test_batches_are_drawn_as_there_is_room() -> None:
    drawn: list[int] = []

    def batches() -> Any:
        for number in range(100):
            drawn.append(number)
            yield [number]

    results = carried_out(Fragile(set()), lambda n: n, batches())
    next(results)
    assert len(drawn) <= 2 * Fragile.slots + 1
