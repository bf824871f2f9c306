"""How far a scan is: a bar with rate and time left on a terminal, a line now and then elsewhere."""

from __future__ import annotations

import time
from types import TracebackType
from typing import TYPE_CHECKING, Any, Final

from spikedoc.cli.display import say
from spikedoc.cli.progress import PATIENCE_SECONDS, has_terminal

if TYPE_CHECKING:
    from rich.progress import Progress as Bar

    from spikedoc.fleet.scan import Harvest

# In the log of a job, a line as often as this.
LINE_SECONDS: Final = 30.0


class LongScan:
    """Shown the harvest again and again; tells about it once the scan takes long."""

    def __init__(self, *, enabled: bool) -> None:
        """Nothing is told unless `enabled`."""
        self._enabled = enabled
        self._is_drawn = enabled and has_terminal()
        self._started = self._told = time.monotonic()
        self.seconds = 0.0  # that it took, once it is over
        self._bar: Bar | None = None
        self._task: Any = None

    def __enter__(self) -> LongScan:
        """Start the clock."""
        self._started = self._told = time.monotonic()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Take the bar away."""
        self.seconds = time.monotonic() - self._started
        if self._bar is not None:
            self._bar.stop()
            self._bar = None

    def __call__(self, harvest: Harvest) -> None:
        """Take note of what is done so far."""
        now = time.monotonic()
        if not self._enabled or now - self._started < PATIENCE_SECONDS:
            return
        if self._is_drawn:
            self._draw(harvest)
        elif now - self._told >= LINE_SECONDS:
            self._told = now
            say(line(harvest.done, harvest.places, now - self._started))

    def _draw(self, harvest: Harvest) -> None:
        if self._bar is None:
            self._start()
        if self._bar is not None:
            self._bar.update(
                self._task,
                completed=harvest.done,
                total=harvest.places or None,
                rate=_rate(harvest.done, time.monotonic() - self._started),
            )

    def _start(self) -> None:
        from rich.console import Console
        from rich.progress import (
            BarColumn,
            MofNCompleteColumn,
            Progress,
            TextColumn,
            TimeRemainingColumn,
        )

        self._bar = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("{task.fields[rate]}"),
            TimeRemainingColumn(),
            console=Console(stderr=True),
            transient=True,
        )
        self._task = self._bar.add_task("scan", total=None, rate="")
        self._bar.start()


def line(done: int, places: int, took: float) -> str:
    """Return how far it is: places, rate, and the time left at this rate."""
    told = f"{done} of {places} places, {_rate(done, took)}"
    if not done or not took:
        return told
    return f"{told}, about {clock((places - done) * took / done)} left"


def _rate(done: int, took: float) -> str:
    return f"{done / took if took > 0 else 0.0:.3g}/s"


def clock(left: float) -> str:
    """Return a time as hours, minutes and seconds."""
    minutes, rest = divmod(round(left), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}"
