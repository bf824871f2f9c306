"""How fast spikedoc's readers are beside those people use, and whether the values are equal.

    python benchmarks/read.py [--only LOG …] [--peers PYTHON] [--folder FOLDER] [--write]

Each reader runs in a process of its own; CPU seconds and peak memory include start-up and imports,
and are the least of some repeats, because other work on the machine only adds. Readers that are not
installed are left out with a line; --peers names a Python that has them (tbparse, polars, pandas,
tensorboard-data-server). The logs, 1.5 GB, are made once and kept in FOLDER. So are the results:
with --only, those of the other logs are taken from the last run. All of it takes ten minutes.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import numpy as np
from _cases import COMPARED, LOGS, path_of
from _goals import Results, further, goals
from _measure import Usage, keep, run, table
from _readers import NEEDS

READ: Final = str(Path(__file__).with_name("_readers.py"))
REPEATS: Final = 3
# Beyond this a reader is measured once: noise is small beside it.
LONG_SECONDS: Final = 8.0
RESULTS: Final = "results.json"


def measured(reader: str, path: Path, out: Path, peers: str) -> Usage:
    """Return the least that `reader` used; its values are in `out`."""
    program = sys.executable if reader == "spikedoc" else peers
    found: list[Usage] = []
    for _ in range(REPEATS):
        usage = run([READ, reader, str(path), str(out)], program)
        seconds, peak = (float(number) for number in usage.output.split())
        found.append(Usage(seconds, peak, ""))
        if seconds > LONG_SECONDS:
            break
    peak = min(usage.peak_megabytes for usage in found)
    return Usage(min(usage.cpu_seconds for usage in found), peak, "")


def compare(key: str, folder: Path, peers: str, there: Sequence[str]) -> dict[str, Usage]:
    """Return what each reader of one log used; raises RuntimeError when their values differ."""
    path = path_of(folder, key)
    used: dict[str, Usage] = {}
    with tempfile.TemporaryDirectory() as name:
        mine = Path(name) / "spikedoc.npz"
        for reader in COMPARED[key]:
            if reader not in there:
                continue
            out = Path(name) / f"{reader}.npz"
            used[reader] = measured(reader, path, out, peers)
            check_apart(mine, out)
            if out != mine:
                out.unlink()
            print(f"{key}: {reader} {used[reader].cpu_seconds:.2f} s", file=sys.stderr)
    return used


def check_apart(mine: Path, theirs: Path) -> None:
    """Check in a process of its own: what this one held would count as the peak of its children."""
    apart = multiprocessing.get_context("fork").Process(target=check_equal, args=(mine, theirs))
    apart.start()
    apart.join()
    if apart.exitcode:
        raise RuntimeError(f"{mine.stem} and {theirs.stem} differ, see above")


def check_equal(mine: Path, theirs: Path) -> None:
    """Raise RuntimeError unless both files hold the same tags with the same values.

    Values are compared as float32: that is what event files hold, and what nine digits in text
    hold.
    """
    with np.load(mine) as a, np.load(theirs) as b:
        first, second = ({name: str(n) for n, name in enumerate(x["names"])} for x in (a, b))
        if set(first) != set(second):
            raise RuntimeError(f"tags differ: {sorted(set(first) ^ set(second))}")
        for tag, place in first.items():
            one, other = a[place].astype(np.float32), b[second[tag]].astype(np.float32)
            if not np.array_equal(one, other, equal_nan=True):
                raise RuntimeError(f"values of {tag} differ")


def installed(peers: str) -> list[str]:
    """Return the readers that are there; prints one line per reader that is not."""
    found = ["spikedoc"]
    for reader, module in NEEDS.items():
        known = f"import importlib.util as u, sys; sys.exit(u.find_spec('{module}') is None)"
        if reader == "spikedoc":
            continue
        if subprocess.run([peers, "-c", known], check=False).returncode == 0:
            found.append(reader)
        else:
            print(f"left out: {reader} ({module} is not installed)", file=sys.stderr)
    return found


def remembered(folder: Path) -> dict[str, dict[str, Usage]]:
    """Return the results of earlier runs that `remember` kept."""
    path = folder / RESULTS
    if not path.exists():
        return {}
    kept = json.loads(path.read_text(encoding="utf-8"))
    return {
        key: {reader: Usage(seconds, peak, "") for reader, (seconds, peak) in used.items()}
        for key, used in kept.items()
    }


def remember(folder: Path, results: Results) -> None:
    """Keep the results for a run with --only."""
    numbers = {
        key: {reader: (u.cpu_seconds, u.peak_megabytes) for reader, u in used.items()}
        for key, used in results.items()
    }
    (folder / RESULTS).write_text(json.dumps(numbers), encoding="utf-8")


def rows_of(results: Results) -> list[list[str]]:
    """Return one row per reader and log: seconds, times spikedoc's, memory."""
    rows = []
    for key, used in results.items():
        mine = used["spikedoc"].cpu_seconds
        for reader, usage in used.items():
            rows.append(
                [
                    LOGS[key].title if reader == "spikedoc" else "",
                    reader,
                    f"{usage.cpu_seconds:.2f}",
                    f"{usage.cpu_seconds / mine:.1f}",
                    f"{usage.peak_megabytes:.0f}",
                ]
            )
    return rows


def main() -> None:
    """Compare all readers, print, and keep the tables when asked."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--write", action="store_true", help="keep the tables in the docs")
    parser.add_argument("--only", nargs="+", choices=COMPARED, help="compare on these logs alone")
    parser.add_argument("--peers", default=sys.executable, help="Python that has the other readers")
    default = Path(tempfile.gettempdir()) / "spikedoc-benchmarks"
    parser.add_argument("--folder", type=Path, default=default, help="where the logs are kept")
    wanted = parser.parse_args()
    there = installed(wanted.peers)
    wanted.folder.mkdir(parents=True, exist_ok=True)
    found = remembered(wanted.folder)
    for key in wanted.only or COMPARED:
        found[key] = compare(key, wanted.folder, wanted.peers, there)
        remember(wanted.folder, found)
    results = {key: found[key] for key in COMPARED if key in found}
    head = ["Log", "Reader", "CPU seconds", "Times spikedoc's", "Peak memory (MB)"]
    text = table(head, rows_of(results))
    judged = table(["Work", "Goal", "Measured", ""], goals(results, further(wanted.folder)))
    print(text, judged, sep="\n\n")
    if wanted.write:
        keep("read", text)
        keep("goals", judged)


if __name__ == "__main__":
    main()
