"""The benchmark compares what it says it compares, on logs too short to time."""

from __future__ import annotations

import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"
STEPS = 200  # two widths of the step
EVENTS = "events.out.tfevents.1.host"


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    import read as module

    return module


def written_by(kind: str, path: Path) -> dict[str, Any]:
    """Write a short log and return its columns."""
    logs, events = sys.modules["_logs"], sys.modules["_event_logs"]
    data: dict[str, Any] = logs.columns(STEPS, 5)
    if kind in ("scalar", "tensor"):
        events.write_events(path, data, kind)
    elif kind == "images":
        events.write_images(path, 60_000, data, 20_000)
    else:
        {"csv": logs.write_csv, "jsonl": logs.write_jsonl}[kind](path, data)
    return data


@pytest.mark.parametrize(
    ("kind", "name", "peer"),
    [
        ("scalar", EVENTS, "event_accumulator"),
        ("tensor", EVENTS, "event_accumulator"),
        ("scalar", EVENTS, "mmap_protobuf"),
        ("images", EVENTS, "event_accumulator"),
        ("csv", "log.csv", "pandas_csv"),
        ("jsonl", "log.jsonl", "pandas_jsonl"),
    ],
)
def test_both_readers_find_the_values_that_were_written(
    read: ModuleType, tmp_path: Path, kind: str, name: str, peer: str
) -> None:
    path = tmp_path / name
    written = written_by(kind, path)
    readers = sys.modules["_readers"].READERS
    for reader in ("spikedoc", peer):
        found = readers[reader](path)
        assert set(found) == set(written)
        for tag, values in written.items():
            # Text holds nine digits, which is all that float32 has.
            np.testing.assert_array_equal(np.float32(found[tag]), np.float32(values))


def test_irregular_logs_are_read_alike(read: ModuleType, tmp_path: Path) -> None:
    path = tmp_path / EVENTS
    sys.modules["_event_logs"].write_irregular(path, 3_000, 12)
    readers = sys.modules["_readers"].READERS
    mine, theirs, plain = (
        readers[name](path) for name in ("spikedoc", "event_accumulator", "mmap_protobuf")
    )
    assert set(mine) == set(theirs) == set(plain)
    for tag, values in mine.items():
        np.testing.assert_array_equal(values, theirs[tag])
        np.testing.assert_array_equal(values, plain[tag])


def test_different_values_are_not_passed_over(read: ModuleType, tmp_path: Path) -> None:
    for name, last in (("a", np.nan), ("b", 2.0)):
        np.savez(tmp_path / f"{name}.npz", names=np.array(["loss"]), **{"0": np.array([1.0, last])})
    read.check_equal(tmp_path / "a.npz", tmp_path / "a.npz")
    with pytest.raises(RuntimeError, match="values of loss differ"):
        read.check_equal(tmp_path / "a.npz", tmp_path / "b.npz")
