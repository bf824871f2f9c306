"""A progress bar on the standard error, for reads long enough to wonder about."""

from __future__ import annotations

import sys
import time
from types import TracebackType
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from rich.progress import Progress as Bar

# People do not notice a wait that is shorter.
PATIENCE_SECONDS: Final = 0.5


def has_terminal() -> bool:
    """Return whether the standard error is a terminal; it may also be closed."""
    return sys.stderr is not None and sys.stderr.isatty()


class LongRead:
    """Called with bytes done and bytes in all; shows a bar once the read takes long."""

    def __init__(self, label: str, *, enabled: bool) -> None:
        """Nothing is drawn unless `enabled` and the standard error is a terminal."""
        self._label = label
        self._enabled = enabled and has_terminal()
        self._started = time.monotonic()
        self._bar: Bar | None = None
        self._task: Any = None

    def __enter__(self) -> LongRead:
        """Start the clock."""
        self._started = time.monotonic()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Take the bar away."""
        if self._bar is not None:
            self._bar.stop()
            self._bar = None

    def __call__(self, done: int, total: int) -> None:
        """Take note of the bytes read so far."""
        if not self._enabled or time.monotonic() - self._started < PATIENCE_SECONDS:
            return
        if self._bar is None:
            self._start()
        if self._bar is not None:
            self._bar.update(self._task, completed=done, total=total)

    def _start(self) -> None:
        from rich.console import Console
        from rich.markup import escape
        from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn

        self._bar = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            DownloadColumn(binary_units=True),
            console=Console(stderr=True),
            transient=True,
        )
        self._task = self._bar.add_task(escape(self._label), total=None)
        self._bar.start()
