from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from spikedoc.fleet.engines.loky import LokyEngine, usable_cores
from spikedoc.fleet.schedule import carried_out


def test_work_goes_to_other_processes() -> None:
    engine = LokyEngine(1)
    try:
        engine.submit(5, abs, [-1, 2])
        assert engine.wait() == [(5, [1, 2])]

        def process(_: object) -> int:
            return os.getpid()

        engine.submit(6, process, [0])
        ((_, results),) = engine.wait()
        assert results is not None
        assert results[0] != os.getpid()
    finally:
        engine.close(now=True)


def test_a_killed_worker_loses_nothing_and_poison_is_named(tmp_path: Path) -> None:
    """One item kills its worker the first time only, another one each time."""
    mark = tmp_path / "killed"

    def work(item: int) -> int:
        if item == 3 or (item == 5 and not mark.exists()):
            mark.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return item * 10

    engine = LokyEngine(2)
    try:
        batches = [[0, 1], [2, 3], [4, 5], [6, 7]]
        found = dict(pair for part in carried_out(engine, work, batches) for pair in part)
    finally:
        engine.close(now=True)
    assert found == {n: None if n == 3 else n * 10 for n in range(8)}


def test_what_the_work_raises_is_raised() -> None:
    def work(_: int) -> int:
        raise KeyError("boom")

    engine = LokyEngine(1)
    try:
        engine.submit(0, work, [1])
        with pytest.raises(KeyError):
            engine.wait()
    finally:
        engine.close(now=True)


def test_there_is_a_core() -> None:
    assert usable_cores() >= 1


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="reads /proc")
def test_workers_of_a_killed_scan_leave() -> None:
    code = (
        "from spikedoc.fleet.engines import loky\n"
        "import os, sys\n"
        "loky.IDLE_SECONDS = 1\n"
        "engine = loky.LokyEngine(1)\n"
        "engine.submit(0, eval, ['__import__(\"os\").getpid()'])\n"
        "print(engine.wait()[0][1][0], flush=True)\n"
        "os.kill(os.getpid(), 9)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], check=False, capture_output=True, text=True)
    worker = int(done.stdout)
    until = time.monotonic() + 60
    while time.monotonic() < until and _is_alive(worker):
        time.sleep(0.1)
    assert not _is_alive(worker)


def _is_alive(process: int) -> bool:
    try:
        return " Z " not in Path(f"/proc/{process}/stat").read_text()
    except OSError:
        return False
