"""Healthy training logs of any length, written in the formats that are measured."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

Columns = dict[str, NDArray[np.float64]]
# Event files hold float32, so all formats get values that float32 can hold.
Floats = NDArray[np.float64]

SEED: Final = 20240229
NOISE: Final = 0.03  # of the log loss, as a large language model has it
WARMUP_SHARE: Final = 0.02
PEAK_LR: Final = 3e-4


def columns(steps: int, tags: int) -> Columns:
    """Return `tags` quantities over `steps` steps: falling loss, lr, gradient norm, others."""
    rng = np.random.default_rng(SEED)
    done = (np.arange(steps) + 1) / steps
    loss = (1.8 + 7.0 * np.exp(-12.0 * done)) * np.exp(NOISE * rng.standard_normal(steps))
    lr = PEAK_LR * np.minimum(done / WARMUP_SHARE, 0.5 * (1 + np.cos(np.pi * done)))
    grad_norm = (0.4 + np.exp(-20.0 * done)) * np.exp(0.2 * rng.standard_normal(steps))
    found = {"loss": loss, "lr": lr, "grad_norm": grad_norm}
    for number in range(tags - len(found)):
        found[f"extra/{number}"] = rng.standard_normal(steps)
    return {tag: values.astype(np.float32).astype(np.float64) for tag, values in found.items()}


def write_csv(path: Path, data: Columns) -> None:
    """Write one row per step."""
    names = ["step", *data]
    table = np.column_stack([np.arange(len(data["loss"])), *data.values()])
    formats = ["%d"] + ["%.9g"] * len(data)
    np.savetxt(path, table, fmt=formats, delimiter=",", header=",".join(names), comments="")


def write_jsonl(path: Path, data: Columns) -> None:
    """Write one object per step."""
    rows = zip(*(values.tolist() for values in data.values()), strict=True)
    with path.open("w", encoding="utf-8") as file:
        for step, row in enumerate(rows):
            file.write(json.dumps({"step": step, **dict(zip(data, row, strict=True))}) + "\n")


def write_events(path: Path, data: Columns) -> None:
    """Write an event file with one record per value, tag after tag within each step.

    The records are framed here, with checksums, and tensorboard's own reader verifies them.
    """
    steps = len(data["loss"])
    parts = [_records(tag, values) for tag, values in data.items()]
    with path.open("wb") as file:
        for step in range(steps):
            file.writelines(part[step].tobytes() for part in parts)


def _records(tag: str, values: Floats) -> NDArray[np.uint8]:
    """Return one framed record per row."""
    from tensorboard.compat.proto.event_pb2 import Event
    from tensorboard.compat.proto.summary_pb2 import Summary

    # Steps are written with a fixed width by starting where a varint takes four bytes.
    first = 1 << 21
    events = []
    for index, value in enumerate(values.tolist()):
        summary = Summary(value=[Summary.Value(tag=tag, simple_value=value)])
        event = Event(wall_time=1.7e9 + index, step=first + index, summary=summary)
        events.append(event.SerializeToString())
    payload = np.frombuffer(b"".join(events), np.uint8).reshape(len(events), -1)
    length = np.frombuffer(np.uint64(payload.shape[1]).tobytes(), np.uint8)
    head = np.broadcast_to(length, (len(events), 8))
    return np.hstack([head, _checksums(head), payload, _checksums(payload)])


def _checksums(rows: NDArray[np.uint8]) -> NDArray[np.uint8]:
    from spikedoc.readers._crc32c import of_rows

    found = of_rows(np.ascontiguousarray(rows)).astype("<u4")
    return found.view(np.uint8).reshape(len(rows), 4)
