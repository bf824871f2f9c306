"""What an engine is: something that does pieces of work at several places at once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol

from spikedoc.errors import UsageError
from spikedoc.text import Text

Work = Callable[[Any], Any]
Done = tuple[int, list[Any] | None]  # ticket, and the results; None: the worker died over it


class Engine(Protocol):
    """Does batches of work, in any order. Results come back in the order of the items."""

    slots: int  # batches that it does at once

    def submit(self, ticket: int, work: Work, items: Sequence[Any]) -> None:
        """Hand over a batch: `work` will be called with each item."""

    def wait(self) -> list[Done]:
        """Return what is done, at least one batch; blocks until there is one."""

    def close(self, *, now: bool) -> None:
        """End the workers; `now` also in the middle of their work."""


def all_of(work: Work, items: Sequence[Any]) -> list[Any]:
    """Return the results of the items, one after the other."""
    return [work(item) for item in items]


def no_cluster(kind: str, address: str | None, error: Exception) -> UsageError:
    """Return the error to raise when no cluster of this kind answers at the address."""
    return UsageError(
        Text(
            f"no {kind} cluster at {address}: {error}",
            f"{address} 处没有 {kind} 集群：{error}",
        )
    )
