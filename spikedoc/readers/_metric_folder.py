"""Logs that keep each metric in a file of its own, named by its path."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

import numpy as np

from spikedoc.errors import said_by
from spikedoc.readers._notes import CUT_LINE_OF, LEFT_OUT, QUANTITIES
from spikedoc.readers._sniff import decode
from spikedoc.readers.base import RawSeries
from spikedoc.text import Text

# Bounds: metrics of one run, folders in the name of one.
MOST_METRICS: Final = 5_000
DEEPEST_NAME: Final = 8
# A file larger than this is no metric of one run (30 million points).
LARGEST_METRIC: Final = 1_000_000_000

TOO_LARGE: Final = Text(
    "{tag}: too large for a metric; left out", "{tag}：文件过大，不可能是单个指标，已略去"
)


def metric_files(top: Path, notes: list[Text]) -> Iterator[Path]:
    """Yield the files under `top` in a fixed order, links to folders not followed."""
    pending, count = [(top, 0)], 0
    while pending:
        folder, depth = pending.pop()
        try:
            entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
        except OSError as error:
            notes.append(LEFT_OUT.fill({"name": folder.name, "reason": said_by(error)}))
            continue
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                if depth < DEEPEST_NAME:
                    pending.append((Path(entry.path), depth + 1))
            elif entry.is_file() and not entry.name.startswith("."):
                count += 1
                if count > MOST_METRICS:
                    notes.append(QUANTITIES.fill({"most": MOST_METRICS}))
                    return
                yield Path(entry.path)


def metric_text(path: Path, tag: str, notes: list[Text]) -> str:
    """Return the whole lines of a file; empty when it is gone or too large for a metric.

    A last line without its end may be cut in the middle of a number.
    """
    try:
        if path.stat().st_size > LARGEST_METRIC:
            notes.append(TOO_LARGE.fill({"tag": tag}))
            return ""
        text = decode(path.read_bytes())
    except OSError as error:
        notes.append(LEFT_OUT.fill({"name": tag, "reason": said_by(error)}))
        return ""
    whole = text[: text.rfind("\n") + 1]
    if len(whole) < len(text):
        notes.append(CUT_LINE_OF.fill({"tag": tag}))
    return whole


def in_one_order(series: Sequence[RawSeries]) -> tuple[RawSeries, ...]:
    """Return the series with one order over all of them.

    By the clock if all have one, else by step; by line where the steps of a file go back.
    """
    lengths = [one.steps.size for one in series]
    lines = np.concatenate([np.arange(length) for length in lengths])
    if all(one.wall_times is not None for one in series):
        clock = np.concatenate([w for one in series if (w := one.wall_times) is not None])
    elif all(bool(np.all(np.diff(one.steps) >= 0)) for one in series):
        clock = np.concatenate([one.steps for one in series]).astype(np.float64)
    else:
        clock = lines.astype(np.float64)
    rank = np.empty(lines.size, dtype=np.int64)
    rank[np.lexsort((lines, clock))] = np.arange(lines.size)
    parts = np.split(rank, np.cumsum(lengths)[:-1])
    return tuple(
        replace(one, order=np.sort(order)) for one, order in zip(series, parts, strict=True)
    )
