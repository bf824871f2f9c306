"""All in this process: for what only it can reach, and to see where time goes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from spikedoc.fleet.engines.base import Done, Work, all_of


class SerialEngine:
    """Does a batch when it is waited for."""

    slots = 1

    def __init__(self) -> None:
        """Nothing to do yet."""
        self._waiting: list[tuple[int, Work, Sequence[Any]]] = []

    def submit(self, ticket: int, work: Work, items: Sequence[Any]) -> None:
        """Keep the batch."""
        self._waiting.append((ticket, work, items))

    def wait(self) -> list[Done]:
        """Do the batch that waits longest."""
        ticket, work, items = self._waiting.pop(0)
        return [(ticket, all_of(work, items))]

    def close(self, *, now: bool) -> None:  # noqa: ARG002  there is no work in between
        """There is nothing to end."""
        self._waiting.clear()
