"""Which small mistakes in the diagnosis no test would notice.

    python benchmarks/mutants.py [--rooms signal detectors …] [--sample 200] [--seed 0] [--out FILE]

A sample of one-place changes (an operator, a number, a condition) is made to the modules, each in a
copy of the package, and the tests are run: those of the module first, then those of its room, then
the sample logs. A change that all of them pass has survived; FILE gets a line for each. Some
survivors change nothing that could be seen; they count as survivors all the same.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import random
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from _mutations import Mutation, mutation, places

ROOT: Final = Path(__file__).resolve().parent.parent
ROOMS: Final = ("signal", "detectors", "classifier", "evidence", "rules")
# A change that makes a loop endless is noticed, too.
LONGEST_SECONDS: Final = 300
WHOLE: Final = ("tests/classifier/test_labels.py", "tests/sample_logs")
NORMAL_QUANTILE: Final = 1.96  # of a 95 % interval


@dataclass(frozen=True, slots=True)
class Mutant:
    """One change in one module, `module` being relative to the package."""

    module: Path
    change: Mutation


def chosen(rooms: Sequence[str], sample: int, seed: int) -> list[Mutant]:
    """Return a random sample of all changes that can be made in the rooms."""
    modules = [path for room in rooms for path in sorted((ROOT / "spikedoc" / room).glob("*.py"))]
    every = [(path, *at) for path in modules for at in places(path.read_text("utf-8"))]
    picked = random.Random(seed).sample(every, min(sample, len(every)))
    print(f"{len(picked)} of {len(every)} changes in {len(modules)} modules", flush=True)
    return [
        Mutant(path.relative_to(ROOT / "spikedoc"), mutation(path.read_text("utf-8"), *at))
        for path, *at in picked
    ]


def survives(mutant: Mutant, package: Path) -> bool:
    """Return whether no test notices the change, made for a while in the copy at `package`."""
    path = package / "spikedoc" / mutant.module
    path.write_text(mutant.change.source, "utf-8")
    try:
        return all(_passes(tests, package) for tests in _stages(mutant.module))
    finally:
        shutil.copy(ROOT / "spikedoc" / mutant.module, path)


def _stages(module: Path) -> Iterator[list[str]]:
    own = ROOT / "tests" / module.parent / f"test_{module.name}"
    if own.is_file():
        yield [str(own)]
    yield [str(ROOT / "tests" / module.parts[0])]
    yield [str(ROOT / name) for name in WHOLE]


def _passes(tests: Sequence[str], package: Path) -> bool:
    command = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", *tests]
    around = {**os.environ, "PYTHONPATH": str(package), "PYTHONDONTWRITEBYTECODE": "1"}
    try:
        done = subprocess.run(
            command, cwd=ROOT, env=around, capture_output=True, timeout=LONGEST_SECONDS, check=False
        )
    except subprocess.TimeoutExpired:
        return False
    return done.returncode == 0


def interval(killed: int, made: int) -> tuple[float, float]:
    """Return Wilson's 95 % interval of a share."""
    share, z = killed / made, NORMAL_QUANTILE
    middle = share + z * z / (2 * made)
    half = z * math.sqrt(share * (1 - share) / made + z * z / (4 * made * made))
    return (middle - half) / (1 + z * z / made), (middle + half) / (1 + z * z / made)


def main() -> None:
    """Make the changes, run the tests, print the share that was noticed."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--rooms", nargs="+", default=ROOMS, choices=ROOMS)
    parser.add_argument("--sample", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path, help="survivors, a JSON line each")
    wanted = parser.parse_args()
    killed: dict[str, list[bool]] = {room: [] for room in wanted.rooms}
    with tempfile.TemporaryDirectory() as folder:
        package = Path(folder)
        shutil.copytree(ROOT / "spikedoc", package / "spikedoc")
        for mutant in chosen(wanted.rooms, wanted.sample, wanted.seed):
            survived = survives(mutant, package)
            killed[mutant.module.parts[0]].append(not survived)
            if survived:
                _tell(mutant, wanted.out)
    for room, found in killed.items():
        if found:
            low, high = interval(sum(found), len(found))
            print(f"{room}: {sum(found)} of {len(found)} noticed ({low:.2f} to {high:.2f})")


def _tell(mutant: Mutant, out: Path | None) -> None:
    change = mutant.change
    line = {"module": str(mutant.module), "line": change.line} | {
        "before": change.before,
        "after": change.after,
    }
    print(f"survived: {mutant.module}:{change.line}: {change.before} -> {change.after}", flush=True)
    if out is not None:
        with out.open("a", encoding="utf-8") as file:
            file.write(json.dumps(line) + "\n")


if __name__ == "__main__":
    main()
