"""How fast many runs are scanned: by worker, beside a loop that only loads them, in which memory.

Ratios are the medians of rounds in which all ways take turns, so that what else the machine does
meets all of them. `--rounds 1` with `--runs 100` is a quick look.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from _fleet_logs import TAGS, write_fleet

MEGABYTE: Final = 1_000_000
LOOK_SECONDS: Final = 0.2
# Runs that the slow loop is given; its time for all is told from them.
LOADED: Final = 10
MILLION: Final = 1_000_000
LOOP: Final = """
import sys, time
from pathlib import Path
from tbparse import SummaryReader
started, cpu = time.perf_counter(), time.process_time()
for log in sys.argv[1:]:
    SummaryReader(log).scalars
print(time.perf_counter() - started, time.process_time() - cpu)
"""


class _Memory(threading.Thread):
    """Watches the resident memory of the largest worker of a scan."""

    def __init__(self, process: int) -> None:
        super().__init__(daemon=True)
        self.process, self.seen, self.over = process, list[float](), threading.Event()

    def run(self) -> None:
        while not self.over.wait(LOOK_SECONDS):
            sizes = [_resident(child) for child in _below(self.process)]
            if sizes:
                self.seen.append(max(sizes))


def _below(process: int) -> list[int]:
    try:
        text = Path(f"/proc/{process}/task/{process}/children").read_text("ascii")
    except OSError:
        return []
    return [int(child) for child in text.split()]


def _resident(process: int) -> float:
    try:
        pages = int(Path(f"/proc/{process}/statm").read_text("ascii").split()[1])
    except (OSError, IndexError):
        return 0.0
    return pages * os.sysconf("SC_PAGE_SIZE") / MEGABYTE


@dataclass(frozen=True, slots=True)
class _Scan:
    seconds: float
    cpu_seconds: float  # of the scan and its workers
    memory: list[float]  # megabytes of the largest worker over time
    counts: str


def scan(root: Path, workers: int) -> _Scan:
    """Scan with so many workers into an empty store."""
    command = [sys.executable, "-m", "spikedoc", "scan", str(root), "--workers", str(workers)]
    command += ["--format", "json", "--fail-on", "never", "-q"]
    with tempfile.TemporaryDirectory() as folder:
        store = ["-o", str(Path(folder) / "runs.jsonl")]
        started, before = time.perf_counter(), _children_cpu()
        process = subprocess.Popen([*command, *store], stdout=subprocess.PIPE, text=True)
        memory = _Memory(process.pid)
        memory.start()
        out, _ = process.communicate()
        took, cpu = time.perf_counter() - started, _children_cpu() - before
    memory.over.set()
    if process.returncode:
        raise RuntimeError(f"scan ended with {process.returncode}")
    return _Scan(took, cpu, memory.seen, json.dumps(json.loads(out)["counts"]))


def _children_cpu() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def load(logs: Sequence[Path], python: str) -> tuple[float, float]:
    """Return the seconds and CPU seconds that tbparse takes to load the logs, once imported."""
    done = subprocess.run(
        [python, "-c", LOOP, *map(str, logs)], capture_output=True, text=True, check=True
    )
    took, cpu = map(float, done.stdout.splitlines()[-1].split())
    return took, cpu


def main() -> None:
    """Write a fleet, measure, print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=1000)
    parser.add_argument("--steps", type=int, default=5000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--tbparse", default=sys.executable, help="a Python that has tbparse")
    parser.add_argument("--fleet", type=Path, help="keep the logs here, or use those that are")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        root = options.fleet or Path(folder) / "fleet"
        if not root.exists():
            write_fleet(root, options.runs, options.steps)
        report(root, options.rounds, options.tbparse)


def report(root: Path, rounds: int, tbparse: str) -> None:
    """Print what was measured."""
    logs = sorted(root.rglob("*tfevents*"))
    size = sum(log.stat().st_size for log in logs)
    runs = len(logs)
    print(f"{runs} runs, {size / MEGABYTE:.0f} MB, {TAGS} quantities each", flush=True)
    gains, faster, cheaper, cpus = [], [], [], []
    for number in range(rounds):
        loop, loop_cpu = (one / LOADED * runs for one in load(logs[:LOADED], tbparse))
        one, two = scan(root, 1), scan(root, 2)
        gains.append(one.seconds / two.seconds)
        faster.append(loop / two.seconds)
        cheaper.append(loop_cpu / one.cpu_seconds)
        cpus.append(one.cpu_seconds)
        third = len(two.memory) // 3
        print(
            f"round {number + 1}, load {os.getloadavg()[0]:.1f}: 1 worker {one.seconds:.1f} s "
            f"({one.cpu_seconds:.1f} CPU), 2 workers {two.seconds:.1f} s ({two.cpu_seconds:.1f} "
            f"CPU), tbparse {loop:.0f} s ({loop_cpu:.0f} CPU); largest worker "
            f"{max(two.memory[third : 2 * third], default=0):.0f} MB in the second third, "
            f"{max(two.memory[2 * third :], default=0):.0f} MB in the last; {two.counts}",
            flush=True,
        )
    print(f"2 workers against 1: {statistics.median(gains):.2f}x")
    print(
        f"2 workers against a loop over tbparse that only loads: {statistics.median(faster):.1f}x"
    )
    print(f"the same in CPU seconds, 1 worker: {statistics.median(cheaper):.1f}x")
    best = min(cpus)
    print(f"runs a CPU second: {runs / best:.1f}; bytes a run: {size / runs:.0f}")
    hours = MILLION * best / runs / 3600
    print(f"a million such runs: {hours:.1f} core hours, {MILLION * size / runs / 1e12:.2f} TB")


if __name__ == "__main__":
    main()
