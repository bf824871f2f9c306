"""The comparison as JSON-ready data; `comparison.schema.json` says what each key holds."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping
from enum import Enum
from typing import Any

from spikedoc.comparison.result import Comparison, SignalDifference
from spikedoc.text import Text

Json = dict[str, Any]


def encode(comparison: Comparison) -> Json:
    """Return dicts, lists, strings, finite numbers, booleans and None; NaN becomes "nan"."""
    data: Json = {"schema": comparison.schema, "spikedoc": comparison.spikedoc_version}
    left_out = {"schema", "spikedoc_version", "plots", "signals"}
    for field in dataclasses.fields(comparison):
        if field.name not in left_out:
            data[field.name] = _value(getattr(comparison, field.name))
    data["signals"] = [_signal(signal) for signal in comparison.signals]
    return data


def _signal(signal: SignalDifference) -> Json:
    data: Json = _value(signal)
    data["identical"] = signal.is_identical
    return data


def _value(value: Any) -> Any:
    if isinstance(value, Text):
        return {"en": value.en, "zh": value.zh}
    if dataclasses.is_dataclass(value):
        return {f.name: _value(getattr(value, f.name)) for f in dataclasses.fields(value)}
    if isinstance(value, Mapping):
        return {str(key): _value(one) for key, one in value.items()}
    if isinstance(value, tuple | list):
        return [_value(one) for one in value]
    if isinstance(value, Enum):
        return value.value
    return _plain(value)


def _plain(value: Any) -> Any:
    if value is None or isinstance(value, bool | int | str):
        return value
    number = float(value)
    return number if math.isfinite(number) else str(number)
