"""Hands work to an engine and outlives its workers.

A batch whose worker died is tried again piece by piece, and a piece that was under way when a
worker died once more is tried by itself. Only what kills a worker then is given up, so that nothing
is held against a run that was merely beside a bad one.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import count
from typing import Any, Final, Generic, TypeVar

from spikedoc.fleet.engines.base import Engine, Work

Item = TypeVar("Item")

# Batches handed over for each that is done at the moment, so that no worker waits.
AHEAD: Final = 2
# Tries of a piece: in a batch, with others beside it, by itself.
BY_ITSELF: Final = 2


@dataclass(frozen=True, slots=True)
class _Attempt(Generic[Item]):
    items: tuple[Item, ...]
    tries: int = 0


def carried_out(
    engine: Engine, work: Work, batches: Iterable[Sequence[Item]]
) -> Iterator[list[tuple[Item, Any | None]]]:
    """Yield each item with its result, batch by batch as they come; None: it killed a worker."""
    yield from _Schedule(engine, work, batches).results()


class _Schedule(Generic[Item]):
    def __init__(self, engine: Engine, work: Work, batches: Iterable[Sequence[Item]]) -> None:
        self._engine, self._work = engine, work
        self._fresh = (_Attempt(tuple(batch)) for batch in batches)
        self._again: deque[_Attempt[Item]] = deque()
        self._alone: deque[_Attempt[Item]] = deque()
        self._flying: dict[int, _Attempt[Item]] = {}
        self._tickets = count()

    def results(self) -> Iterator[list[tuple[Item, Any | None]]]:
        """Yield until nothing is left."""
        while self._fill():
            for ticket, results in self._engine.wait():
                attempt = self._flying.pop(ticket)
                if results is not None:
                    yield list(zip(attempt.items, results, strict=True))
                elif attempt.tries >= BY_ITSELF:
                    yield [(item, None) for item in attempt.items]
                else:
                    self._put_off(attempt)

    def _put_off(self, attempt: _Attempt[Item]) -> None:
        tries = attempt.tries + 1
        queue = self._alone if tries >= BY_ITSELF else self._again
        queue.extend(_Attempt((item,), tries) for item in attempt.items)

    def _fill(self) -> bool:
        """Hand over as much as there is room for; False when all is done."""
        while len(self._flying) < self._engine.slots * AHEAD:
            attempt = self._next()
            if attempt is None:
                break
            ticket = next(self._tickets)
            self._flying[ticket] = attempt
            self._engine.submit(ticket, self._work, attempt.items)
        return bool(self._flying)

    def _next(self) -> _Attempt[Item] | None:
        """New work first, then what failed; what must be alone waits until nothing else is left."""
        attempt = next(self._fresh, None)
        if attempt is None and self._again:
            attempt = self._again.popleft()
        if attempt is None and self._alone and not self._flying:
            attempt = self._alone.popleft()
        return attempt
