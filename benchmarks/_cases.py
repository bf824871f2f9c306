"""What is read by whom: the logs, how they are made, and the readers beside each other."""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from _event_logs import write_events, write_images, write_irregular
from _logs import columns, write_csv, write_jsonl

# A change of the files needs a new name for the folder that keeps them.
EDITION: Final = "1"
EVENTS: Final = "events.out.tfevents.1700000000.host.1.0"
TAGS: Final = 10
IRREGULAR_TAGS: Final = 40
IMAGE_FILE_BYTES: Final = 529_000_000
IMAGE_BYTES: Final = 100_000
IMAGE_TAGS: Final = 4
IMAGE_STEPS: Final = 25_000


@dataclass(frozen=True, slots=True)
class Log:
    """One log of the comparison."""

    title: str
    file: str
    write: Callable[[Path], None]


def _events(steps: int) -> Callable[[Path], None]:
    return lambda path: write_events(path, columns(steps, TAGS))


LOGS: Final = {
    "events_10k": Log("10k scalars", EVENTS, _events(1_000)),
    "events_100k": Log("100k scalars", EVENTS, _events(10_000)),
    "events_1m": Log("1M scalars, 10 tags", EVENTS, _events(100_000)),
    "events_10m": Log("10M scalars, 10 tags", EVENTS, _events(1_000_000)),
    "tensors_1m": Log(
        "1M scalars as tensors, 10 tags",
        EVENTS,
        lambda path: write_events(path, columns(100_000, TAGS), "tensor"),
    ),
    "irregular": Log(
        "1M scalars, 40 tags in random order, 10k histograms",
        EVENTS,
        lambda path: write_irregular(path, 1_000_000, IRREGULAR_TAGS),
    ),
    "images": Log(
        "100k scalars among images",
        EVENTS,
        lambda path: write_images(
            path, IMAGE_FILE_BYTES, columns(IMAGE_STEPS, IMAGE_TAGS), IMAGE_BYTES
        ),
    ),
    "csv_1m": Log(
        "CSV, 10 columns, 1M rows",
        "log.csv",
        lambda path: write_csv(path, columns(1_000_000, TAGS)),
    ),
    "csv_20k": Log(
        "CSV, 10 columns, 20k rows", "log.csv", lambda path: write_csv(path, columns(20_000, TAGS))
    ),
    "jsonl_1m": Log(
        "JSON lines, 10 keys, 1M lines",
        "log.jsonl",
        lambda path: write_jsonl(path, columns(1_000_000, TAGS)),
    ),
}

# Reader names are those of _readers.py; spikedoc's comes first. The data server keeps one point a
# step, so it finds fewer in the irregular log and is no peer there.
COMPARED: Final[dict[str, tuple[str, ...]]] = {
    "events_1m": ("spikedoc", "event_accumulator", "tbparse", "data_server", "mmap_protobuf"),
    "tensors_1m": ("spikedoc", "event_accumulator", "data_server"),
    "irregular": ("spikedoc", "mmap_protobuf"),
    "images": ("spikedoc", "data_server"),
    "events_10m": ("spikedoc", "data_server"),
    "csv_1m": ("spikedoc", "pandas_csv", "polars_csv"),
    "csv_20k": ("spikedoc", "pandas_csv", "polars_csv"),
    "jsonl_1m": ("spikedoc", "pandas_jsonl", "polars_jsonl"),
}
GROWTH: Final = ("events_10k", "events_100k", "events_1m", "events_10m")


def path_of(folder: Path, key: str) -> Path:
    """Return the log, written now if `folder` does not hold it yet."""
    log = LOGS[key]
    path = folder / f"{key}_{EDITION}" / log.file
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        unfinished = path.parent / "unfinished"
        _write_apart(log, unfinished)
        unfinished.rename(path)
    return path


def _write_apart(log: Log, path: Path) -> None:
    """Write in a process of its own: what this one held would count as the peak of its children."""
    apart = multiprocessing.get_context("fork").Process(target=log.write, args=(path,))
    apart.start()
    apart.join()
    if apart.exitcode:
        raise RuntimeError(f"{log.title}: not written, see above")
