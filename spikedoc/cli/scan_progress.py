"""How far a scan is: a bar with rate and time left on a terminal, a line now and then elsewhere."""

from __future__ import annotations

import time
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Final

from spikedoc.cli.messages import language, say
from spikedoc.cli.progress import PATIENCE_SECONDS, has_terminal
from spikedoc.text import Text

if TYPE_CHECKING:
    from rich.progress import Progress as Bar

    from spikedoc.fleet.scan import Harvest

# In the log of a job, a line as often as this.
LINE_SECONDS: Final = 30.0

DONE: Final = Text("{done} of {places} {places|place|places}, {rate}", "{done}/{places} 处，{rate}")
LEFT: Final = Text(
    "{done} of {places} {places|place|places}, {rate}, about {left} left",
    "{done}/{places} 处，{rate}，约剩 {left}",
)
SCAN: Final = Text("scan", "扫描")
STOPPED: Final = Text(
    "stopped after {done} of {places} {places|place|places}; results are ",
    "已停止，完成 {done}/{places} 处；",
)
KEPT: Final = Text(
    "kept in {store}; give the same command to go on",
    "结果保存在 {store}；再次运行同一命令即可继续",
)
NOT_KEPT: Final = Text("not kept", "结果未保存")
TOOK: Final = Text(
    "{done} {done|place|places} in {took} s ({rate} a second)",
    "{done} 处，用时 {took} s（每秒 {rate} 处）",
)
KNOWN: Final = Text("{n} of them known before", "其中 {n} 处已有结果")
OLDER: Final = Text("{n} older {n|one|ones} passed over", "略过 {n} 处较旧的")
RESULTS: Final = Text("results in {store}", "结果在 {store}")
INDEX: Final = Text("index in {page}", "索引页在 {page}")


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
        self._task = self._bar.add_task(SCAN.get(language()), total=None, rate="")
        self._bar.start()


def line(done: int, places: int, took: float) -> Text:
    """Return how far it is: places, rate, and the time left at this rate."""
    values: dict[str, int | str] = {"done": done, "places": places, "rate": _rate(done, took)}
    if not done or not took:
        return DONE.fill(values)
    return LEFT.fill(values | {"left": clock((places - done) * took / done)})


def _rate(done: int, took: float) -> str:
    return f"{done / took if took > 0 else 0.0:.3g}/s"


def clock(left: float) -> str:
    """Return a time as hours, minutes and seconds."""
    minutes, rest = divmod(round(left), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}"


def say_interrupted(harvest: Harvest, store: Path | None) -> None:
    """Tell how far the scan came, and what is left of it."""
    told = STOPPED.fill({"done": harvest.done, "places": harvest.places})
    kept = NOT_KEPT if store is None else KEPT.fill({"store": str(store)})
    say(Text(told.en + kept.en, told.zh + kept.zh), fg="yellow")


def say_done(harvest: Harvest, took: float, store: Path | None, html: Path | None) -> None:
    """Tell what was done, how fast, and where the results are."""
    known = harvest.done - len({one.key for one in harvest.fresh if one.path})
    rate = f"{harvest.done / took if took > 0 else 0.0:.3g}"
    parts = [TOOK.fill({"done": harvest.done, "took": f"{took:.1f}", "rate": rate})]
    if known > 0:
        parts.append(KNOWN.fill({"n": known}))
    if harvest.older:
        parts.append(OLDER.fill({"n": harvest.older}))
    if store is not None:
        parts.append(RESULTS.fill({"store": str(store)}))
    if html is not None:
        parts.append(INDEX.fill({"page": str(html / "index.html")}))
    say(Text("; ".join(one.en for one in parts), "；".join(one.zh for one in parts)))
