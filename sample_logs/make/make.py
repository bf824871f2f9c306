"""Remakes the sample logs: `python make.py --case NAME` (or `--all`), into sample_logs/NAME/run.

Needs torch, numpy, tensorboard and tensorboardX; spikedoc itself needs none of this. Every case
is a training that really runs, with one fault in its settings or its loop; nothing is drawn.
"""

from __future__ import annotations

import argparse
import os
import shutil
import sys
import time
from collections.abc import Callable
from pathlib import Path

os.environ.setdefault("OMP_NUM_THREADS", "1")

import data_faults
import healthy
import numeric_faults
import numpy as np
import optimizer_faults
import state_faults
import torch

Case = Callable[[Path, np.random.Generator], None]
SEED = 7
MODULES = (data_faults, optimizer_faults, numeric_faults, state_faults, healthy)
CASES: dict[str, Case] = {name: case for m in MODULES for name, case in m.CASES.items()}


def make(name: str, root: Path, seed: int) -> None:
    """Train one case from its seed and write its run folder afresh."""
    torch.manual_seed(seed)
    torch.set_num_threads(1)
    run = root / name / "run"
    shutil.rmtree(run, ignore_errors=True)
    run.mkdir(parents=True)
    began = time.perf_counter()
    CASES[name](run, np.random.default_rng(seed))
    size = sum(p.stat().st_size for p in run.rglob("*") if p.is_file())
    print(f"{name}: {size / 1000:.0f} kB in {time.perf_counter() - began:.0f} s")


def main() -> int:
    """Make the cases named on the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--case", action="append", choices=sorted(CASES), default=[])
    parser.add_argument("--all", action="store_true", help="make every case")
    parser.add_argument("--out", type=Path, default=Path(__file__).parents[1])
    parser.add_argument("--seed", type=int, default=SEED)
    options = parser.parse_args()
    for name in sorted(CASES) if options.all else options.case:
        make(name, options.out, options.seed)
    return 0


if __name__ == "__main__":
    sys.exit(main())
