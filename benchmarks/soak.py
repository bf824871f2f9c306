"""Memory and open files over many diagnoses in one process, as a service or a notebook makes them.

python benchmarks/soak.py [--calls 10000] [--write]

Every call diagnoses one of the sample logs and renders it in every format. Fails when more than a
little memory was taken since the first tenth, or a descriptor was left open. --write keeps the
table in the docs.
"""

from __future__ import annotations

import argparse
import gc
import itertools
import sys
import time
from pathlib import Path
from typing import Final

from _measure import keep, table

import spikedoc

ROOT: Final = Path(__file__).parents[1]
# Beyond what allocators keep for later; a leak of a kilobyte a call shows in 10,000 calls.
MOST_GROWTH_MB: Final = 10.0
# By then every cache of the program is full.
WARM: Final = 0.1
SHOWN: Final = 10
RENDERED_EVERY: Final = 10


def memory_mb() -> float:
    """Return the memory that this process holds now, in megabytes."""
    for line in Path("/proc/self/status").read_text(encoding="ascii").splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) / 1024
    raise OSError("no VmRSS here")


def descriptors() -> int:
    """Return the number of files, pipes and sockets that this process has open."""
    return len(list(Path("/proc/self/fd").iterdir()))


def logs() -> list[Path]:
    """Return the sample logs."""
    return sorted((ROOT / "sample_logs").glob("*/run"))


def call(number: int, log: Path) -> None:
    """Diagnose a log and, now and then, write the report in every way."""
    report = spikedoc.analyze(log)
    if number % RENDERED_EVERY == 0:
        for write in (report.to_text, report.to_markdown, report.to_html, report.to_json):
            write()


def told(seen: dict[int, tuple[float, int]], warm: int) -> str:
    """Return the table for the docs and what follows from it."""
    rows = [
        [f"{number:,}", f"{megabytes:.1f}", f"{opened}"]
        for number, (megabytes, opened) in seen.items()
    ]
    last = max(seen)
    growth = seen[last][0] - seen[warm][0]
    said = f"Since call {warm:,}: {growth:+.1f} MB (goal: at most {MOST_GROWTH_MB:g})."
    return table(["Diagnoses", "Memory (MB)", "Descriptors"], rows) + f"\n\n{said}"


def main() -> int:
    """Print memory and descriptors along the way; return 1 when they grow."""
    parser = argparse.ArgumentParser(description="Diagnose again and again in one process.")
    parser.add_argument("--calls", type=int, default=10_000)
    parser.add_argument("--write", action="store_true", help="keep the table in the docs")
    wanted = parser.parse_args()
    calls = wanted.calls
    warm = max(1, int(calls * WARM))
    started = time.perf_counter()
    seen: dict[int, tuple[float, int]] = {}
    for number, log in zip(range(1, calls + 1), itertools.cycle(logs()), strict=False):
        call(number, log)
        if number in (warm, calls) or number % max(1, calls // SHOWN) == 0:
            gc.collect()
            seen[number] = memory_mb(), descriptors()
            took = time.perf_counter() - started
            print(
                f"{number:>7} calls {took:8.0f} s {seen[number][0]:8.1f} MB "
                f"{seen[number][1]:4} descriptors",
                flush=True,
            )
    growth = seen[calls][0] - seen[warm][0]
    left = seen[calls][1] - seen[warm][1]
    print(f"since call {warm}: {growth:+.1f} MB, {left:+} descriptors")
    if wanted.write:
        keep("soak", told(seen, warm))
    return int(growth > MOST_GROWTH_MB or left > 0)


if __name__ == "__main__":
    sys.exit(main())
