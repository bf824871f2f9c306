"""What was computed of an array that cannot change, kept while one run is diagnosed.

Detectors, classifier and probes ask the same of the same series. Each stays a plain function; the
answer is looked up where the arrays are the very same ones.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from functools import wraps
from typing import Final, ParamSpec, TypeVar

import numpy as np

Asked = ParamSpec("Asked")
Answer = TypeVar("Answer")

# Answers kept of each function: those on the loss and a few signals beside it, or on the loss at
# each of five spans. More would only hold memory (8 MB for each array of a million points).
MOST_KEPT: Final = 6


@dataclass(slots=True)
class _Answers:
    """Answers of one function, the one used last at the end; arguments are kept with them.

    An array is known by its identity, which stays its own while the array is held here.
    """

    found: OrderedDict[tuple[object, ...], tuple[object, object]] = field(
        default_factory=OrderedDict
    )


_KEPT: Final[ContextVar[dict[str, _Answers] | None]] = ContextVar("kept", default=None)


@contextmanager
def remembering() -> Iterator[None]:
    """Keep answers within this block, and let go of all of them at its end."""
    token = _KEPT.set({})
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
            known = kept.setdefault(name, _Answers()).found
            key = tuple(id(arg) if isinstance(arg, np.ndarray) else arg for arg in args)
            if key in known:
                known.move_to_end(key)
                return known[key][1]  # type: ignore[return-value]
            answer = function(*args, **kwargs)
            known[key] = (args, answer)
            if len(known) > most:
                known.popitem(last=False)
            return answer

        return asked

    return decorate


def _is_fixed(arg: object) -> bool:
    return not arg.flags.writeable if isinstance(arg, np.ndarray) else arg.__hash__ is not None
