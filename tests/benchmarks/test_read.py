"""The benchmark compares what it says it compares, on logs too short to time."""

from __future__ import annotations

import sys
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"
STEPS = 40


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    import read as module

    return module


@pytest.mark.parametrize("kind", ["events", "csv", "jsonl"])
def test_both_readers_find_the_values_that_were_written(
    read: ModuleType, tmp_path: Path, kind: str
) -> None:
    written = sys.modules["_logs"].columns(STEPS, read.TAGS)
    path = tmp_path / read.NAMES[kind]
    read.WRITE[kind](path, written)
    for reader in ("spikedoc", read.RIVALS[kind]):
        found = read.READERS[reader](path)
        assert set(found) == set(written)
        for tag, values in written.items():
            # Text holds nine digits, which is all that float32 has.
            np.testing.assert_array_equal(np.float32(found[tag]), np.float32(values))


def test_different_values_are_not_passed_over(read: ModuleType, tmp_path: Path) -> None:
    np.savez(tmp_path / "a.npz", loss=np.array([1.0, np.nan]))
    np.savez(tmp_path / "b.npz", loss=np.array([1.0, 2.0]))
    read.check_equal(tmp_path / "a.npz", tmp_path / "a.npz")
    with pytest.raises(RuntimeError, match="values of loss differ"):
        read.check_equal(tmp_path / "a.npz", tmp_path / "b.npz")
