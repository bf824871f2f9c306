"""What was computed of an array that cannot change, kept while one run is diagnosed.

Detectors, classifier and probes ask the same of the same series. Each stays a plain function; the
answer is looked up where the arrays are the very same ones.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field, fields, is_dataclass
from functools import wraps
from typing import Any, Final, ParamSpec, TypeVar

import numpy as np

Asked = ParamSpec("Asked")
Answer = TypeVar("Answer")

# Answers kept of each function: those on the loss and a few signals beside it, or on the loss at
# each of five spans. More would only hold memory (8 MB for each array of a million points).
MOST_KEPT: Final = 6


# Bytes of arrays kept in all answers together, eight arrays of a million points. A series of
# 100,000 points stays within it, whatever is asked of it.
MOST_BYTES: Final = 64_000_000
# Answers below this are not worth the counting.
LARGE: Final = 1_000_000

Key = tuple[object, ...]


@dataclass(slots=True)
class _Answers:
    """Answers of one function, the one used last at the end; arguments are kept with them.

    An array is known by its identity, which stays its own while the array is held here.
    """

    found: OrderedDict[Key, tuple[object, object]] = field(default_factory=OrderedDict)


@dataclass(slots=True)
class _Kept:
    """The answers of all functions, and how much memory the large ones take, oldest first."""

    answers: dict[str, _Answers] = field(default_factory=dict)
    large: OrderedDict[tuple[str, Key], int] = field(default_factory=OrderedDict)

    def used(self, name: str, key: Key) -> None:
        """Make the answer the one used last."""
        self.answers[name].found.move_to_end(key)
        if (name, key) in self.large:
            self.large.move_to_end((name, key))

    def let_go(self, name: str, key: Key) -> None:
        """Keep the answer no longer."""
        del self.answers[name].found[key]
        self.large.pop((name, key), None)

    def keep(self, name: str, key: Key, size: int) -> None:
        """Account for a new answer of `size` bytes; those used longest ago make room for it."""
        if size >= LARGE:
            self.large[name, key] = size
            while sum(self.large.values()) > MOST_BYTES:
                self.let_go(*next(iter(self.large)))


_KEPT: Final[ContextVar[_Kept | None]] = ContextVar("kept", default=None)


@contextmanager
def remembering() -> Iterator[None]:
    """Keep answers within this block, and let go of all of them at its end."""
    token = _KEPT.set(_Kept())
    try:
        yield
    finally:
        _KEPT.reset(token)


def remembered(function: Callable[Asked, Answer]) -> Callable[Asked, Answer]:
    """Return `function`, asked once for the same arguments within `remembering`.

    Only arrays that are read-only count as the same: what can be written may have changed. The
    answer is shared, so it must not be changed either.
    """
    return remembered_up_to(MOST_KEPT)(function)


def remembered_up_to(
    most: int,
) -> Callable[[Callable[Asked, Answer]], Callable[Asked, Answer]]:
    """Return `remembered` for a function whose answers are small: so many of them are kept."""

    def decorate(function: Callable[Asked, Answer]) -> Callable[Asked, Answer]:
        name = f"{function.__module__}.{function.__qualname__}"

        @wraps(function)
        def asked(*args: Asked.args, **kwargs: Asked.kwargs) -> Answer:
            kept = _KEPT.get()
            if kept is None or kwargs or not all(map(_is_fixed, args)):
                return function(*args, **kwargs)
            known = kept.answers.setdefault(name, _Answers()).found
            key = tuple(id(arg) if isinstance(arg, np.ndarray) else arg for arg in args)
            if key in known:
                kept.used(name, key)
                return known[key][1]  # type: ignore[return-value]
            answer = function(*args, **kwargs)
            known[key] = (args, answer)
            if len(known) > most:
                kept.let_go(name, next(iter(known)))
            kept.keep(name, key, _own_bytes(answer, args))
            return answer

        return asked

    return decorate


def _is_fixed(arg: object) -> bool:
    return not arg.flags.writeable if isinstance(arg, np.ndarray) else arg.__hash__ is not None


def _own_bytes(answer: object, args: Iterable[object]) -> int:
    """Return the bytes of the arrays in an answer that are no looks at an argument."""
    held = {id(_root(arg)) for arg in args if isinstance(arg, np.ndarray)}
    own = {id(_root(part)): part.nbytes for part in _arrays(answer) if id(_root(part)) not in held}
    return sum(own.values())


def _arrays(answer: object) -> Iterator[np.ndarray[Any, Any]]:
    if isinstance(answer, np.ndarray):
        yield answer
    elif isinstance(answer, tuple | list):
        for part in answer:
            yield from _arrays(part)
    elif is_dataclass(answer):
        yield from _arrays([getattr(answer, one.name) for one in fields(answer)])


def _root(array: np.ndarray[Any, Any]) -> object:
    return array if array.base is None else array.base
