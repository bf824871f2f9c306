"""The comparison as one JSON object: `spikedoc schema --of comparison` describes it."""

from __future__ import annotations

import json
from typing import Final

from spikedoc.comparison.encoding import encode
from spikedoc.comparison.formats.base import Format, Options
from spikedoc.comparison.result import Comparison


def render(comparison: Comparison, _options: Options) -> str:
    """Return the object, strict and in ASCII; NaN and infinities are strings."""
    return json.dumps(encode(comparison), indent=2, ensure_ascii=True, allow_nan=False) + "\n"


FORMAT: Final[Format] = render
