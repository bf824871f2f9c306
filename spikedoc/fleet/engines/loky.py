"""The cores of this machine, through loky: joblib's pool of processes, which notices a dead one."""

from __future__ import annotations

import os
import signal
from collections.abc import Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from concurrent.futures.process import BrokenProcessPool
from typing import Any, Final

from spikedoc.fleet.engines.base import Done, Work, all_of

# Workers of a scan that was killed have nobody to tell them; they leave when idle for so long.
IDLE_SECONDS: Final = 30
# One process a core is enough: libraries of linear algebra must not start threads of their own.
ONE_THREAD: Final = dict.fromkeys(
    ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1"
)


class LokyEngine:
    """A pool that is made anew when one of its processes died."""

    def __init__(self, workers: int) -> None:
        """`workers` processes are started when there is work."""
        self.slots = workers
        self._pool: Any = None
        self._flying: dict[Future[list[Any]], int] = {}

    def submit(self, ticket: int, work: Work, items: Sequence[Any]) -> None:
        """Hand the batch to a process; with a broken pool it counts as dead with the others."""
        try:
            future: Future[list[Any]] = self._started().submit(all_of, work, items)
        except BrokenProcessPool as error:
            future = Future()
            future.set_exception(error)
        self._flying[future] = ticket

    def wait(self) -> list[Done]:
        """Return what is done; of a broken pool, all that was under way as dead."""
        done, _ = wait(self._flying, return_when=FIRST_COMPLETED)
        if any(isinstance(future.exception(), BrokenProcessPool) for future in done):
            self.close(now=True)
            done, _ = wait(self._flying)
        return [(self._flying.pop(future), _result(future)) for future in done]

    def close(self, *, now: bool) -> None:
        """End the processes."""
        if self._pool is not None:
            self._pool.shutdown(wait=True, kill_workers=now)
            self._pool = None

    def _started(self) -> Any:
        if self._pool is None:
            from loky import ProcessPoolExecutor

            self._pool = ProcessPoolExecutor(
                self.slots, timeout=IDLE_SECONDS, initializer=_quiet, env=ONE_THREAD
            )
        return self._pool


def _quiet() -> None:
    """Leave Ctrl-C to the scan, which then ends its workers."""
    import warnings

    signal.signal(signal.SIGINT, signal.SIG_IGN)
    warnings.simplefilter("ignore")  # of numpy about the very NaNs that are the subject


def _result(future: Future[list[Any]]) -> list[Any] | None:
    """The results; None when the process died. What the work itself raised is raised."""
    if future.cancelled():
        return None
    error = future.exception()
    if error is None:
        return future.result()
    if isinstance(error, BrokenProcessPool):
        return None
    raise error


def usable_cores() -> int:
    """Return the cores that this process may use, also inside a container."""
    from loky import cpu_count

    return int(cpu_count()) or os.cpu_count() or 1
