"""On a real cluster of this machine with two workers."""

from __future__ import annotations

import logging
import os
import signal
from collections.abc import Iterator
from typing import Any

import pytest

pytest.importorskip("distributed")
# Of the package's own threads and sockets, which are none of ours.
pytestmark = pytest.mark.filterwarnings("ignore")

from cluster_trials import (  # noqa: E402, F401
    test_a_worker_that_is_killed_loses_nothing,
    test_the_lines_are_those_of_this_process,
    test_what_kills_every_worker_is_given_up,
    test_what_the_work_raises_is_raised,
)

from spikedoc.errors import UsageError  # noqa: E402
from spikedoc.fleet.engines.dask import DaskEngine, wait_for_starts  # noqa: E402
from spikedoc.fleet.schedule import carried_out  # noqa: E402


@pytest.fixture(scope="module")
def cluster() -> Iterator[DaskEngine]:
    engine = DaskEngine(2, None)
    yield engine
    engine.close(now=True)


@pytest.fixture
def elsewhere() -> Iterator[Any]:
    """A cluster of somebody else, which moves what killed a worker to the next one, once."""
    import dask
    from distributed import LocalCluster

    with (
        dask.config.set({"distributed.scheduler.allowed-failures": 1}),
        LocalCluster(
            n_workers=2,
            threads_per_worker=1,
            dashboard_address=None,
            silence_logs=logging.CRITICAL,
        ) as cluster,
    ):
        yield cluster
        wait_for_starts(cluster)


def test_what_kills_worker_after_worker_is_given_up_at_an_address(elsewhere: Any) -> None:
    def work(item: int) -> int:
        if item == 1:
            os.kill(os.getpid(), signal.SIGKILL)
        return item

    engine = DaskEngine(None, elsewhere.scheduler_address)
    assert engine.slots == 2
    found = dict(pair for part in carried_out(engine, work, [[0, 1], [2]]) for pair in part)
    assert found == {0: 0, 1: None, 2: 2}
    engine.close(now=True)
    assert elsewhere.status.name == "running"  # it is not ours to end


def test_a_cluster_that_lost_all_workers_is_told(
    elsewhere: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("spikedoc.fleet.engines.dask.LOOK_SECONDS", 0.5)
    monkeypatch.setattr("spikedoc.fleet.engines.dask.LONELY_SECONDS", 1.0)
    engine = DaskEngine(None, elsewhere.scheduler_address)
    elsewhere.scale(0)
    engine.submit(0, lambda item: item, [1])
    with pytest.raises(UsageError, match="no workers left"):
        engine.wait()
    engine.close(now=True)


def test_a_worker_that_is_being_started_is_waited_for() -> None:
    from types import SimpleNamespace as Made

    looks = iter(["init", "starting", "running"])

    class Process:
        @property
        def status(self) -> Any:
            return Made(name=next(looks))

    wait_for_starts(Made(workers={0: Made(process=None), 1: Made(process=Process())}))
    assert next(looks, None) is None  # asked until it ran
