"""A comparison as JSON, `spikedoc-sweep/1`: what programs read."""

from __future__ import annotations

import math
from dataclasses import fields, is_dataclass
from typing import Any, Final

from spikedoc.model.json_text import write
from spikedoc.renderers.base import RenderOptions
from spikedoc.sweep.formats.base import Format
from spikedoc.sweep.result import SCHEMA, Comparison
from spikedoc.version import VERSION


def render(comparison: Comparison, options: RenderOptions) -> str:
    """Return the comparison as one JSON object; statements in both languages."""
    data = {"schema": SCHEMA, "spikedoc": VERSION, **_plain(comparison)}
    return write(data, indent=2, ascii_only=not options.unicode) + "\n"


def _plain(value: Any) -> Any:
    """Dataclasses as objects, what is not a finite number as null."""
    if is_dataclass(value) and not isinstance(value, type):
        return {field.name: _plain(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, tuple | list):
        return [_plain(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value


FORMAT: Final[Format] = render
