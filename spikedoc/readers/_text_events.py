"""Messages worth keeping beside the numbers: errors, signals, overflows."""

from __future__ import annotations

import re
from collections import deque
from typing import Final

from spikedoc.model.resumed_line import says_resumed

# Words of such messages, in lower case.
NOTABLE: Final = (
    "returned nan values", "traceback", "cuda error", "out of memory", "outofmemory", "oom-kill",
    "overflow", "loss scale", "sigterm", "sigkill", "cancelled at", "nccl error",
    "device-side assert", "segmentation fault", "loss is nan", "nan or inf", "non-finite",
    "non finite", "preempted", "infinite or nan", "(=nan)", "(=inf)", "encountered in log",
    "encountered in sqrt", "encountered in power", "no valid path found", "grad norm is nan",
    "label length",
)  # fmt: skip
# The line that closes a Python traceback.
_ERROR: Final = re.compile(r"[A-Za-z_.]{0,80}(?:Error|Exception|Interrupt)(?::|$)")
# The first ones tell how trouble began, the last ones how it ended.
MOST_FIRST: Final = 150
MOST_LAST: Final = 50
LONGEST_EVENT: Final = 300


def is_notable(line: str) -> bool:
    """Return whether the line is a message worth keeping."""
    lower = line.lower()
    if any(word in lower for word in NOTABLE) or says_resumed(line):
        return True
    return _ERROR.match(line) is not None


class Events:
    """Collects messages, a bounded number of them."""

    def __init__(self) -> None:
        """Start with none."""
        self._first: list[tuple[int | None, str]] = []
        self._last: deque[tuple[int | None, str]] = deque(maxlen=MOST_LAST)

    def see(self, line: str, step: int | None) -> None:
        """Keep the line if it is notable."""
        if is_notable(line):
            self.add(line, step)

    def add(self, line: str, step: int | None) -> None:
        """Keep the line."""
        event = (step, line[:LONGEST_EVENT])
        if len(self._first) < MOST_FIRST:
            self._first.append(event)
        else:
            self._last.append(event)

    def all(self) -> tuple[tuple[int | None, str], ...]:
        """Return what was kept, in order."""
        return (*self._first, *self._last)
