"""A ranking as JSON, `spikedoc-samples/1`: what programs read."""

from __future__ import annotations

import math
from dataclasses import asdict
from typing import Any, Final

from spikedoc.model.json_text import write
from spikedoc.renderers.base import RenderOptions
from spikedoc.samples.formats.base import Format
from spikedoc.samples.result import SCHEMA, Ranking
from spikedoc.version import VERSION


def render(ranking: Ranking, options: RenderOptions) -> str:
    """Return the ranking as one JSON object; statements in both languages."""
    data = {"schema": SCHEMA, "spikedoc": VERSION, **_plain(asdict(ranking))}
    return write(data, indent=2, ascii_only=not options.unicode) + "\n"


def _plain(value: Any) -> Any:
    """Numbers that are not finite as the strings "nan", "inf" and "-inf"."""
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, tuple | list):
        return [_plain(item) for item in value]
    return str(value) if isinstance(value, float) and not math.isfinite(value) else value


FORMAT: Final[Format] = render
