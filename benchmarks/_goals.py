"""What was aimed at, and what was reached: one line each, met or missed."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np
from _cases import GROWTH, path_of
from _measure import Usage, drain, run

Results = Mapping[str, Mapping[str, Usage]]
REPEATS: Final = 3
# The program starts with one thread of BLAS, see spikedoc/__main__.py.
_ALONE: Final = "import os; os.environ.setdefault('OPENBLAS_NUM_THREADS', '1');"
BARE_READ: Final = (
    _ALONE
    + "import sys; from pathlib import Path; from spikedoc.readers.tensorboard import READER;"
    "READER.read(Path(sys.argv[1]))"
)
START: Final = _ALONE + "import spikedoc.readers.tensorboard"
# A byte in the header of a record, in its tag, and in its value are flipped in turn.
DAMAGED_PLACES: Final = (0.3, 0.5, 0.7)
BITS: Final = 0x40
LEAST_KEPT: Final = 0.999


@dataclass(frozen=True, slots=True)
class Further:
    """Measurements that are no comparison of readers."""

    cat: Usage
    diagnosis: Usage
    bare: Usage
    exponent: float
    kept: float  # least share of the records behind one damaged place
    gap_reported: bool


def further(folder: Path) -> Further:
    """Measure growth, `cat`, a whole diagnosis, and reading behind damage."""
    longest = path_of(folder, "events_10m")
    start = _least(["-c", START])
    used = [_least(["-c", BARE_READ, str(path_of(folder, key))]) for key in GROWTH]
    # Below a million scalars the start-up is all there is, so its noise would be the exponent.
    beyond = [usage.cpu_seconds - start.cpu_seconds for usage in used[-2:]]
    analyze = ["-m", "spikedoc", "analyze", str(longest), "--format", "json", "-q"]
    diagnosis = _least([*analyze, "--fail-on", "never"])
    cats = [drain([str(longest)], "cat") for _ in range(REPEATS)]
    kept, gap = _damaged(path_of(folder, "events_1m"))
    return Further(
        cat=min(cats, key=lambda usage: usage.cpu_seconds),
        diagnosis=diagnosis,
        bare=used[-1],
        exponent=float(np.log10(beyond[1] / beyond[0])),
        kept=kept,
        gap_reported=gap,
    )


def _least(arguments: list[str]) -> Usage:
    found = [run(arguments) for _ in range(REPEATS)]
    return min(found, key=lambda usage: usage.cpu_seconds)


def _damaged(path: Path) -> tuple[float, bool]:
    """Least share of records kept, and whether each damage was noted, with one byte flipped."""
    from spikedoc.readers.tensorboard import READER

    content = bytearray(path.read_bytes())
    whole = sum(one.steps.size for one in READER.read(path).series)
    shares, noted = [], True
    with tempfile.TemporaryDirectory() as name:
        copy = Path(name) / path.name
        for share in DAMAGED_PLACES:
            place = int(share * len(content))
            for byte in range(place, place + 48, 5):  # over a whole record
                content[byte] ^= BITS
                copy.write_bytes(content)
                content[byte] ^= BITS
                table = READER.read(copy)
                shares.append(sum(one.steps.size for one in table.series) / whole)
                noted &= bool(table.notes)
    return min(shares), noted


# Work, log, reader beside it, how many times faster than it spikedoc should be.
FASTER: Final = (
    ("1M scalars", "events_1m", "event_accumulator", 100),
    ("1M scalars", "events_1m", "tbparse", 100),
    ("1M scalars", "events_1m", "data_server", 10),
    ("1M scalars as tensors", "tensors_1m", "event_accumulator", 100),
    ("1M scalars as tensors", "tensors_1m", "data_server", 10),
    ("irregular tags", "irregular", "mmap_protobuf", 8),
    ("529 MB with images", "images", "data_server", 1),
    ("CSV, 1M rows", "csv_1m", "pandas_csv", 1 / 1.1),
    ("CSV, 20k rows", "csv_20k", "pandas_csv", 1 / 0.5),
    ("JSON lines, 1M", "jsonl_1m", "pandas_jsonl", 1 / 0.5),
)


def goals(results: Results, more: Further) -> list[list[str]]:
    """Return one row per goal: work, goal, what was measured, met or missed."""
    rows = []
    for work, key, reader, factor in FASTER:
        if reader in results.get(key, {}):
            ratio = results[key][reader].cpu_seconds / results[key]["spikedoc"].cpu_seconds
            goal = f"{reader}: ≥ {factor:.3g}× its speed"
            rows.append([work, goal, f"{ratio:.3g}×", _met(ratio >= factor)])
    bare, diagnosis = more.bare, more.diagnosis
    none = {"spikedoc": Usage(0.0, float("nan"), "")}  # not measured
    images, lines = (results.get(key, none)["spikedoc"] for key in ("images", "jsonl_1m"))
    for work, what, value, unit, most in (
        ("10M scalars", "time of `cat`", bare.cpu_seconds / more.cat.cpu_seconds, "×", 5),
        ("10M scalars", "memory", bare.peak_megabytes, " MB", 260),
        ("529 MB with images", "memory", images.peak_megabytes, " MB", 50),
        (
            "read and diagnose 10M",
            "time of the bare read",
            diagnosis.cpu_seconds / bare.cpu_seconds,
            "×",
            1.5,
        ),
        ("read and diagnose 10M", "memory", diagnosis.peak_megabytes, " MB", 300),
        ("JSON lines, 1M", "memory", lines.peak_megabytes, " MB", 300),
        ("growth from 1M to 10M scalars", "exponent", more.exponent, "", 1.05),
    ):
        if not np.isnan(value):
            rows.append(
                [work, f"{what}: ≤ {most:g}{unit}", f"{value:.3g}{unit}", _met(value <= most)]
            )
    kept = f"{100 * more.kept:.4f} %" + ("" if more.gap_reported else ", not always reported")
    met = more.kept >= LEAST_KEPT and more.gap_reported
    rows.append(["one corrupt spot", "≥ 99.9 % of the records, reported", kept, _met(met)])
    return rows


def _met(is_met: bool) -> str:
    return "met" if is_met else "missed"
