"""How fast spikedoc's readers are beside those people use, and whether the values are equal.

    python benchmarks/read.py [--write]

Event file of 10 tags and 100,000 steps beside tensorboard's EventAccumulator; CSV of a million rows
and 10 columns, and JSON lines, beside pandas. Each reader runs in a process of its own; CPU seconds
include start-up and imports. Takes some minutes, most of them the EventAccumulator's.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Final

import numpy as np
from _logs import Columns, columns, write_csv, write_events, write_jsonl
from _measure import Usage, keep, run, table

Arrays = dict[str, "np.ndarray"]
TAGS: Final = 10
LENGTHS: Final = {"events": 100_000, "csv": 1_000_000, "jsonl": 300_000}
NAMES: Final = {
    "events": "events.out.tfevents.1700000000.host.1.0",
    "csv": "log.csv",
    "jsonl": "log.jsonl",
}
WRITE: Final[dict[str, Callable[[Path, Columns], None]]] = {
    "events": write_events,
    "csv": write_csv,
    "jsonl": write_jsonl,
}
RIVALS: Final = {"events": "event_accumulator", "csv": "pandas_csv", "jsonl": "pandas_jsonl"}


def spikedoc(path: Path) -> Arrays:
    """Return the values of every tag, through the reader that accepts the file."""
    from spikedoc.ingest.discovery import find

    log = find(path).files[0]
    return {one.tag: one.values for one in log.reader.read(path).series}


def event_accumulator(path: Path) -> Arrays:
    """Return the values of every tag, without the limit of 10,000 points."""
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    accumulator = EventAccumulator(str(path), size_guidance={"scalars": 0})
    accumulator.Reload()
    tags = accumulator.Tags()["scalars"]
    return {tag: np.array([e.value for e in accumulator.Scalars(tag)]) for tag in tags}


def pandas_csv(path: Path) -> Arrays:
    """Return the columns."""
    import pandas as pd

    frame = pd.read_csv(path)
    return {str(name): frame[name].to_numpy() for name in frame if name != "step"}


def pandas_jsonl(path: Path) -> Arrays:
    """Return the keys."""
    import pandas as pd

    frame = pd.read_json(path, lines=True, precise_float=True)
    return {str(name): frame[name].to_numpy() for name in frame if name != "step"}


READERS: Final = {
    reader.__name__: reader for reader in (spikedoc, event_accumulator, pandas_csv, pandas_jsonl)
}


def compare(folder: Path, kind: str) -> list[str]:
    """Return one row of the table; raises RuntimeError when the readers differ."""
    path = folder / NAMES[kind]
    WRITE[kind](path, columns(LENGTHS[kind], TAGS))
    used: dict[str, Usage] = {}
    for reader in ("spikedoc", RIVALS[kind]):
        out = folder / f"{reader}.npz"
        used[reader] = run([__file__, "--read-with", reader, str(path), str(out)])
    check_equal(folder / "spikedoc.npz", folder / f"{RIVALS[kind]}.npz")
    mine, theirs = used["spikedoc"], used[RIVALS[kind]]
    seconds = [float(usage.output) for usage in (mine, theirs)]
    return [
        f"{kind}, {TAGS} × {LENGTHS[kind]:,} ({path.stat().st_size / 1e6:.0f} MB)",
        f"{seconds[0]:.2f} ({mine.peak_megabytes:.0f} MB)",
        f"{RIVALS[kind]}: {seconds[1]:.2f} ({theirs.peak_megabytes:.0f} MB)",
        f"{seconds[1] / seconds[0]:.1f}",
    ]


def check_equal(mine: Path, theirs: Path) -> None:
    """Raise RuntimeError unless both files hold the same tags with the same values."""
    with np.load(mine) as a, np.load(theirs) as b:
        if set(a.files) != set(b.files):
            raise RuntimeError(f"tags differ: {sorted(set(a.files) ^ set(b.files))}")
        for tag in a.files:
            if not np.array_equal(a[tag], b[tag], equal_nan=True):
                raise RuntimeError(f"values of {tag} differ")


def read_with(reader: str, path: Path, out: Path) -> None:
    """Read in this process, print its CPU seconds so far, and keep the values."""
    import time

    found = READERS[reader](path)
    print(f"{time.process_time():.4f}")
    np.savez(out, allow_pickle=False, **found)


def main() -> None:
    """Compare all readers, print, and keep the table when asked."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--write", action="store_true", help="keep the table in the docs")
    parser.add_argument("--only", choices=sorted(LENGTHS), help="measure one format")
    parser.add_argument("--read-with", nargs=3, metavar=("READER", "LOG", "OUT"))
    wanted = parser.parse_args()
    if wanted.read_with:
        reader, path, out = wanted.read_with
        read_with(reader, Path(path), Path(out))
        return
    rows = []
    for kind in [wanted.only] if wanted.only else LENGTHS:
        with tempfile.TemporaryDirectory() as name:
            rows.append(compare(Path(name), kind))
        print(" | ".join(rows[-1]), file=sys.stderr)
    head = ["Log", "spikedoc, CPU seconds", "Beside it, CPU seconds", "Times faster"]
    text = table(head, rows)
    print(text)
    if wanted.write:
        keep("read", text)


if __name__ == "__main__":
    main()
