"""Small folder trees of runs, and records of runs, for the tests of scans."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from spikedoc.coincidence.trace import Trace
from spikedoc.fleet.record import Blamed, Record, Seen, State

STEPS = 300


def write_run(
    folder: Path,
    seed: int = 1,
    *,
    nan_at: int | None = None,
    spikes: Sequence[int] = (),
    steps: int = STEPS,
) -> Path:
    """Write a CSV log of a run that learns, turns to NaN at a step, or spikes at some."""
    folder.mkdir(parents=True, exist_ok=True)
    rng = np.random.default_rng(seed)
    at = np.arange(steps)
    loss = (0.5 + 2.0 * np.exp(-at / 60.0)) * np.exp(0.02 * rng.standard_normal(steps))
    if nan_at is not None:
        loss[nan_at:] = np.nan
    loss[list(spikes)] += 3.0
    rows = [f"{step},{value:.6g},0.001" for step, value in zip(at, loss, strict=True)]
    log = folder / "metrics.csv"
    log.write_text("\n".join(["step,loss,lr", *rows]) + "\n")
    return log


def write_tree(root: Path, runs: int = 4) -> Path:
    """Write a tree of runs in two projects; the last one ends in NaN."""
    for number in range(runs):
        nan_at = 200 if number == runs - 1 else None
        write_run(root / f"p{number % 2}" / f"run{number}", number, nan_at=nan_at)
    return root


def bad_batch(root: Path, project: str = "p") -> Path:
    """Write eight runs; three of them spike at step 777, four at a step of their own."""
    for number in range(8):
        spikes = [777] if number < 3 else [400 + 150 * number] if number < 7 else []
        folder = root / project / f"run{number}"
        write_run(folder, 10 + number, spikes=spikes, steps=4000)
        (folder / "config.json").write_text('{"seed": 5, "batch_size": 16}')
    return root


def trace(seed: int, *steps: int, last: int = 4000, **more: object) -> Trace:
    """Return the trace of a run that shares no losses with those of another seed."""
    heads = tuple(f"{seed}-{step}" for step in steps)
    made = Trace(0, last, 1.0, steps, heads, len(steps), digest=f"losses {seed}")
    return replace(made, **more)  # type: ignore[arg-type]


def record(path: str = "p/run", status: State = State.HEALTHY, **more: object) -> Record:
    """Return a record; one with findings for a status that has some."""
    base = Record(root="runs", path=path, key=f"key of {path}", status=status, run=path)
    if status in (State.CRITICAL, State.WARNING):
        seen = Seen("nonfinite", "persistent", status.value, "loss", 200)
        base = replace(base, findings=(seen,), causes=(Blamed("SD401", "fp16-overflow", 0.8),))
    return replace(base, **more)  # type: ignore[arg-type]
