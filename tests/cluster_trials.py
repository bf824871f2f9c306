"""What every cluster engine must bear; each one's test file brings its own `cluster`."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import fleets
import pytest

from spikedoc.fleet.engines.base import Engine
from spikedoc.fleet.engines.serial import SerialEngine
from spikedoc.fleet.scan import Harvest, Wish, scan
from spikedoc.fleet.schedule import carried_out
from spikedoc.fleet.store import NoStore


def test_a_worker_that_is_killed_loses_nothing(cluster: Engine, tmp_path: Path) -> None:
    assert cluster.slots == 2
    mark = tmp_path / "killed"

    def work(item: int) -> int:
        if item == 3 and not mark.exists():
            mark.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return item * 10

    batches = [[0, 1], [2, 3], [4, 5], [6, 7]]
    found = dict(pair for part in carried_out(cluster, work, batches) for pair in part)
    assert mark.exists()
    assert found == {n: n * 10 for n in range(8)}


def test_what_kills_every_worker_is_given_up(cluster: Engine) -> None:
    def work(item: int) -> int:
        if item == 1:
            os.kill(os.getpid(), signal.SIGKILL)
        return item

    found = dict(pair for part in carried_out(cluster, work, [[0, 1, 2]]) for pair in part)
    assert found == {0: 0, 1: None, 2: 2}


def test_the_lines_are_those_of_this_process(cluster: Engine, tmp_path: Path) -> None:
    fleets.write_tree(tmp_path, runs=5)
    harvests = Harvest(), Harvest()
    for engine, harvest in zip((cluster, SerialEngine()), harvests, strict=True):
        scan(Wish((str(tmp_path),)), NoStore(), engine, harvest, lambda _: None)
    one, two = (sorted(harvest.records, key=lambda r: r.path) for harvest in harvests)
    assert one == two
    assert len(one) == 5


def test_what_the_work_raises_is_raised(cluster: Engine) -> None:
    def work(_: int) -> int:
        raise KeyError("boom")

    cluster.submit(0, work, [1])
    with pytest.raises(KeyError):
        cluster.wait()
