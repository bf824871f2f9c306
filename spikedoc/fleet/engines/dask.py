"""A Dask cluster: one that is there, or one of this machine for the time of the scan."""

from __future__ import annotations

import logging
import time
from collections.abc import Sequence
from typing import Any, Final

from spikedoc.errors import UsageError
from spikedoc.fleet.engines.base import Done, Work, all_of, no_cluster
from spikedoc.fleet.engines.loky import usable_cores
from spikedoc.text import Text

CONNECT_SECONDS: Final = 20
LEFT_ALONE: Final = Text(
    "the Dask cluster has no workers left; what was finished is kept",
    "Dask 集群已没有工作进程；已完成的结果均已保留",
)
# How often workers are looked for while nothing gets done, and how long none may be there.
LOOK_SECONDS: Final = 5.0
LONELY_SECONDS: Final = 120.0
# A result that does not come in this time was lost with its worker.
FETCH_SECONDS: Final = 60.0
# A worker is started within a few seconds, on a busy machine too; looking is cheap.
START_SECONDS: Final = 20.0
START_LOOK_SECONDS: Final = 0.05


class DaskEngine:
    """Hands batches to the cluster's scheduler, which moves those of a dead worker to others."""

    def __init__(self, workers: int | None, address: str | None) -> None:
        """Connect to the cluster; raises UsageError when none answers at `address`."""
        from distributed import Client

        logging.getLogger("distributed").setLevel(logging.CRITICAL)
        try:
            self._client = Client(address, timeout=CONNECT_SECONDS) if address else _local(workers)
        except (OSError, ValueError) as error:
            raise no_cluster("Dask", address, error) from None
        threads = self._client.nthreads()
        self.slots = max(1, sum(threads.values()))
        self._flying: dict[Any, int] = {}
        self._lonely = 0.0  # seconds without any worker

    def submit(self, ticket: int, work: Work, items: Sequence[Any]) -> None:
        """Hand the batch to the scheduler."""
        self._flying[self._client.submit(all_of, work, list(items), pure=False)] = ticket

    def wait(self) -> list[Done]:
        """Return what is done; None for what killed one worker after the other.

        Raises UsageError when the cluster has lost all of its workers.
        """
        from distributed import wait

        flying, done = list(self._flying), set[Any]()
        while not done:
            try:
                done = wait(flying, timeout=LOOK_SECONDS, return_when="FIRST_COMPLETED").done
            except TimeoutError:
                self._look_for_workers()
        self._lonely = 0.0
        return [(self._flying.pop(future), _result(future)) for future in done]

    def _look_for_workers(self) -> None:
        """Start new ones on this machine; elsewhere, give up when none comes back for long.

        A worker that dies right after its start takes its supervisor with it.
        """
        if self._client.scheduler_info()["workers"]:
            self._lonely = 0.0
            return
        self._lonely += LOOK_SECONDS
        if self._client.cluster is not None:
            self._client.cluster.scale(self.slots)
        if self._lonely >= LONELY_SECONDS:
            raise UsageError(LEFT_ALONE)

    def close(self, *, now: bool) -> None:
        """Leave the cluster; one of this machine ends with it."""
        if now:
            self._client.cancel(list(self._flying), force=True)
        self._flying.clear()
        cluster = self._client.cluster
        self._client.close()
        if cluster is not None:
            wait_for_starts(cluster)
            cluster.close()


def wait_for_starts(cluster: Any) -> None:
    """Wait, for some seconds at most, until no worker of this machine's cluster is being started.

    One that was killed is replaced at once, and Dask cannot end what it has not started yet: its
    close then fails with "can only join a started process".
    """
    end = time.monotonic() + START_SECONDS
    while time.monotonic() < end and any(map(_is_starting, cluster.workers.values())):
        time.sleep(START_LOOK_SECONDS)


def _is_starting(worker: Any) -> bool:
    status = getattr(getattr(worker, "process", None), "status", None)
    return getattr(status, "name", "") in ("init", "starting")


def _local(workers: int | None) -> Any:
    import dask
    from distributed import Client, LocalCluster

    # What killed a worker is not moved to the next one: the schedule tries it again, by itself.
    dask.config.set({"distributed.scheduler.allowed-failures": 0})
    cluster = LocalCluster(
        n_workers=workers or usable_cores(),
        threads_per_worker=1,
        processes=True,
        dashboard_address=None,
        silence_logs=logging.CRITICAL,
    )
    return Client(cluster)


def _result(future: Any) -> list[Any] | None:
    """The results; None when workers died over it. What the work itself raised is raised."""
    from distributed.scheduler import KilledWorker

    if future.status == "finished":
        try:
            found: list[Any] = future.result(timeout=FETCH_SECONDS)
        except TimeoutError:
            future.cancel()
            return None
        return found
    error = future.exception() if future.status == "error" else None
    if error is None or isinstance(error, KilledWorker):
        return None
    raise error
