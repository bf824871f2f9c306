"""Every reader that discovery finds, on every kind of strange content."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import spikedoc.readers
from spikedoc.errors import InputError
from spikedoc.plugins import discover
from spikedoc.readers.base import RawSeries, Reader

READERS: dict[str, Reader] = discover(spikedoc.readers, "READER")
DATA = Path(__file__).parents[1] / "data" / "frameworks"

VALUES = {
    "plain": ["1.5", "1.25", "1.0"],
    "not-numbers": ["nan", "inf", "-inf"],
    "one": ["1.0"],
    "huge": ["1e308", "-1e308", "1e-320"],
    "missing": ["", "null", "NA"],
}
STEPS = {
    "rising": [1, 2, 3],
    "equal": [7, 7, 7],
    "falling": [3, 2, 1],
    "far": [0, 2**40, 2**52],
    "negative": [-3, -2, -1],
}


def contents() -> dict[str, bytes]:
    found = {
        "empty": b"",
        "nul": b"\x00" * 3000,
        "high": b"\xff" * 3000,
        "bytes": bytes(range(256)) * 20,
        "newlines": b"\n" * 3000,
        "delimiters": b",;\t|" * 500,
        "brackets": b"[" * 5000,
        "braces": b"{" * 5000,
        "quotes": b'"' * 4999,
        "colour": b"\x1b[31m" * 1000,
        "pointer": b"version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n",
        "long": b"loss: " + b"1" * 200_000,
    }
    for name, values in VALUES.items():
        for kind, steps in STEPS.items():
            rows = list(zip(steps, values, strict=False))
            key = f"{name}-{kind}"
            found[f"csv-{key}"] = "".join(
                ["step,loss\n", *(f"{s},{v}\n" for s, v in rows)]
            ).encode()
            lines = [{"step": s, "loss": v} for s, v in rows]
            found[f"jsonl-{key}"] = "\n".join(map(json.dumps, lines)).encode()
            found[f"state-{key}"] = json.dumps({"log_history": lines}).encode()
            found[f"text-{key}"] = "".join(f"step: {s} loss: {v}\n" for s, v in rows).encode()
    for path in DATA.rglob("*"):
        if path.is_file():
            found[str(path.relative_to(DATA))] = path.read_bytes()
    return found


CONTENTS = contents()


def read_or_nothing(reader: Reader, path: Path) -> tuple[RawSeries, ...]:
    """Only InputError may come out of a reader."""
    try:
        return reader.read(path).series
    except InputError:
        return ()


@pytest.mark.parametrize("reader", READERS.values(), ids=READERS.keys())
def test_whatever_the_content(reader: Reader, tmp_path: Path) -> None:
    for content in CONTENTS.values():
        path = tmp_path / "log"
        path.write_bytes(content)
        accepted = reader.accepts(path, content[:65536])
        assert isinstance(accepted, bool)
        if not accepted:
            continue
        for one in read_or_nothing(reader, path):
            assert one.steps.dtype == np.int64
            assert one.values.dtype == np.float64
            assert one.steps.shape == one.values.shape
            assert one.steps.size > 0
            assert one.order is not None
            assert one.order.shape == one.steps.shape


@pytest.mark.parametrize("reader", READERS.values(), ids=READERS.keys())
def test_a_file_cut_anywhere(reader: Reader, tmp_path: Path) -> None:
    for content in (c for c in CONTENTS.values() if 200 < len(c) < 40_000):
        if not reader.accepts(tmp_path / "log", content[:65536]):
            continue
        for cut in (1, 7, len(content) // 3, len(content) // 2, len(content) - 5):
            path = tmp_path / "log"
            path.write_bytes(content[:cut])
            if reader.accepts(path, content[:cut]):
                read_or_nothing(reader, path)


def test_each_file_has_at_most_one_kind_of_structure() -> None:
    for name, content in CONTENTS.items():
        structured = [r for key, r in READERS.items() if key != "text"]
        accepting = [r.name for r in structured if r.accepts(Path("log"), content[:65536])]
        assert len(accepting) <= 1, name
