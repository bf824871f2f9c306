"""A folder tree of many runs, as an institute that trains every week has them."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import numpy as np
from _event_logs import write_events
from _logs import SEED, Columns, columns

PROJECTS: Final = 10
TAGS: Final = 4
# Every tenth run of a project has a burst of the loss, so that there is something to find.
FAULTY_EVERY: Final = 10
BURST_FACTOR: Final = 4.0
BURST_STEPS: Final = 40


def write_fleet(root: Path, runs: int, steps: int) -> None:
    """Write `runs` event files of `steps` steps, each in a folder of its own, below `root`."""
    base = columns(steps, TAGS)
    for number in range(runs):
        folder = root / f"project_{number % PROJECTS}" / f"run_{number:05d}"
        folder.mkdir(parents=True, exist_ok=True)
        name = f"events.out.tfevents.{1_700_000_000 + number}.host.1.0"
        write_events(folder / name, _varied(base, number))


def _varied(base: Columns, number: int) -> Columns:
    """The same course with noise of its own, and a burst in every tenth."""
    rng = np.random.default_rng([SEED, number])
    found = dict(base)
    loss = base["loss"] * np.exp(0.01 * rng.standard_normal(base["loss"].size))
    if number // PROJECTS % FAULTY_EVERY == FAULTY_EVERY - 1:
        at = int(rng.integers(loss.size // 2, loss.size - 2 * BURST_STEPS))
        loss[at : at + BURST_STEPS] *= BURST_FACTOR
    found["loss"] = loss
    return found
