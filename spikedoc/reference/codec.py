"""A reference as a small JSON file: a line per signal, the same runs always the same bytes."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np

from spikedoc.errors import UsageError
from spikedoc.model.run import FloatArray
from spikedoc.reference.band import SCHEMA, Axis, Band, Reference, Scale, Side
from spikedoc.text import Text, rounded

DIGITS: Final = 6
# 300 signals in 20 cells are half a megabyte; what is longer was not written by spikedoc.
MAX_BYTES: Final = 5_000_000
MOST_CELLS: Final = 10_000

MISSING: Final = Text(
    "no such reference (spikedoc baseline build writes one)",
    "没有该参考文件（spikedoc baseline build 可生成）",
)
FOREIGN: Final = Text(
    f"not a reference of spikedoc ({SCHEMA})", f"不是 spikedoc 的参考文件（{SCHEMA}）"
)


def dump(reference: Reference) -> str:
    """Return the text of a reference file; it holds values and names, but no path."""
    head = {
        "schema": SCHEMA,
        "axis": reference.axis.value,
        "last_steps": [reference.shortest, reference.longest],
        "runs": list(reference.runs),
        "numbers": {name: _six_digits(value) for name, value in reference.numbers.items()},
    }
    lines = [f" {json.dumps(key)}: {json.dumps(value)}," for key, value in head.items()]
    bands = [f"  {json.dumps(_row(band), allow_nan=False)}" for band in reference.bands]
    return "\n".join(["{", *lines, ' "bands": [', ",\n".join(bands), " ]", "}"]) + "\n"


def _row(band: Band) -> dict[str, Any]:
    return {
        "signal": band.signal,
        "side": band.side.value,
        "judged": band.judged,
        "scale": band.scale.value,
        "runs": band.runs,
        "span": [_short(float(band.edges[0])), _short(float(band.edges[-1]))],
        "low": _numbers(band.low),
        "middle": _numbers(band.middle),
        "high": _numbers(band.high),
        "numbers": {name: _six_digits(value) for name, value in band.numbers.items()},
    }


def _short(number: float) -> float:
    return rounded(number, DIGITS + 6)


def _numbers(values: FloatArray) -> list[float | None]:
    return [_six_digits(v) if math.isfinite(v) else None for v in values.tolist()]


def _six_digits(number: float) -> float:
    return rounded(number, DIGITS)


def load(file: Path) -> Reference:
    """Return the reference in `file`; UsageError saying what is wrong when there is none."""
    try:
        if not file.is_file():
            raise UsageError(MISSING, at=file)
        if file.stat().st_size > MAX_BYTES:
            raise UsageError(Text("too large for a reference", "太大，不是参考文件"), at=file)
        content = json.loads(file.read_bytes())
    except (OSError, ValueError, RecursionError) as error:
        told = Text(f"cannot be read as a reference ({error})", f"无法按参考文件读取（{error}）")
        raise UsageError(told, at=file) from error
    if not isinstance(content, dict) or content.get("schema") != SCHEMA:
        raise UsageError(FOREIGN, at=file)
    try:
        return _reference(content)
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError) as error:
        what = f"{type(error).__name__}: {error}"
        damaged = Text(f"damaged reference ({what})", f"参考文件已损坏（{what}）")
        raise UsageError(damaged, at=file) from error


def is_reference(file: Path) -> bool:
    """Return whether a file looks like a reference and not like a log."""
    try:
        if not file.is_file():  # a pipe may never say a word
            return False
        with file.open("rb") as stream:
            return SCHEMA.encode() in stream.read(200)
    except OSError:
        return False


def _reference(content: Mapping[str, Any]) -> Reference:
    shortest, longest = (int(step) for step in content["last_steps"])
    bands = tuple(_band(row) for row in content["bands"])
    names = [band.signal for band in bands]
    if len(set(names)) < len(names):
        raise ValueError("two bands for one signal")
    runs = tuple(str(name) for name in content["runs"])
    numbers = _single(content.get("numbers", {}))  # files of earlier versions have none
    return Reference(Axis(content["axis"]), runs, shortest, longest, bands, numbers)


def _band(row: Mapping[str, Any]) -> Band:
    name, judged = row["signal"], row["judged"]
    if not isinstance(name, str) or not isinstance(judged, bool):
        raise TypeError("signal or judged")
    scale = Scale(row["scale"])
    low, middle, high = (_array(row[key]) for key in ("low", "middle", "high"))
    first, last = (float(end) for end in row["span"])
    is_whole = low.size == middle.size == high.size and 0 < low.size <= MOST_CELLS
    if not is_whole or not first < last < math.inf:
        raise ValueError(f"{name[:80]}: lengths or span")
    known = np.isfinite(middle)
    ordered = bool((low[known] <= middle[known]).all() and (middle[known] <= high[known]).all())
    if not ordered or (scale is Scale.LOG and bool((low[known] < 0.0).any())):
        raise ValueError(f"{name[:80]}: a band upside down")
    edges = np.linspace(first, last, low.size + 1)
    numbers = _single(row.get("numbers", {}))  # files of earlier versions have none
    return Band(
        name, Side(row["side"]), judged, scale, int(row["runs"]), edges, low, middle, high, numbers
    )


def _single(row: Any) -> dict[str, float]:
    if not isinstance(row, dict):
        raise TypeError("numbers")
    found = {str(name): float(value) for name, value in row.items()}
    if not all(math.isfinite(value) for value in found.values()):
        raise ValueError("numbers")
    return found


def _array(values: Sequence[Any]) -> FloatArray:
    if not isinstance(values, list):
        raise TypeError("expected a list of numbers")
    numbers = [math.nan if value is None else float(value) for value in values]
    return np.array(numbers, dtype=np.float64)
