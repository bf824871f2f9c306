"""How the time of `spikedoc analyze` grows with the length of a log.

    python benchmarks/growth.py [--write]

Prints CPU seconds of the whole process, start-up included, for CSV logs of growing length, and the
exponent with which the time beyond the start-up grows. --write keeps the table in the docs.
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path
from typing import Final

import numpy as np
from _logs import columns, write_csv
from _measure import Usage, keep, run, table

LENGTHS: Final = (10_000, 20_000, 100_000, 1_000_000)
START_UP_LENGTH: Final = 10  # so short that only the start of the program is measured
TAGS: Final = 3  # loss, lr, grad_norm
REPEATS: Final = 3  # the least of them: other work on the machine only adds
LONG: Final = 500_000  # measured once: noise is small beside it
GOAL_LENGTH: Final = 20_000
GOAL_SECONDS: Final = 1.5
GOAL_EXPONENT: Final = 1.05


def measure(folder: Path, length: int) -> Usage:
    """Return what analysing a log of `length` steps uses."""
    path = folder / f"{length}.csv"
    write_csv(path, columns(length, TAGS))
    command = ["-m", "spikedoc", "analyze", str(path), "--format", "json", "-q"]
    repeats = 1 if length >= LONG else REPEATS
    found = [run(command) for _ in range(repeats)]
    return min(found, key=lambda usage: usage.cpu_seconds)


def exponent(lengths: list[int], seconds: list[float]) -> float:
    """Return the slope of log(seconds) over log(length)."""
    return float(np.polyfit(np.log(lengths), np.log(seconds), 1)[0])


def main() -> None:
    """Measure, print, and keep the table when asked."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--write", action="store_true", help="keep the table in the docs")
    wanted = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        start_up = measure(Path(name), START_UP_LENGTH).cpu_seconds
        used = [measure(Path(name), length) for length in LENGTHS]
    seconds = [usage.cpu_seconds for usage in used]
    beyond = [max(second - start_up, 1e-3) for second in seconds]
    rows = [
        [
            f"{length:,}",
            f"{u.cpu_seconds:.2f}",
            f"{b / length * 1e6:.2f}",
            f"{u.peak_megabytes:.0f}",
        ]
        for length, u, b in zip(LENGTHS, used, beyond, strict=True)
    ]
    head = ["Steps", "CPU seconds", "µs per step beyond start-up", "Peak memory (MB)"]
    slope, last = exponent(list(LENGTHS), beyond), exponent(list(LENGTHS[-2:]), beyond[-2:])
    goal = seconds[LENGTHS.index(GOAL_LENGTH)]
    text = "\n".join(
        [
            table(head, rows),
            "",
            f"Start-up {start_up:.2f} CPU seconds. {GOAL_LENGTH:,} steps: {goal:.2f} (goal"
            f" {GOAL_SECONDS}). Exponent {slope:.2f}, between the last two {last:.2f} (goal"
            f" {GOAL_EXPONENT}).",
        ]
    )
    print(text)
    if wanted.write:
        keep("growth", text)


if __name__ == "__main__":
    main()
