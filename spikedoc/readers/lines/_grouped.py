"""`name: 1,234.5` pairs of frameworks that group thousands by commas, and human units."""

from __future__ import annotations

import re
from typing import Final

from spikedoc.readers.lines._pairs import value

_PAIR: Final = re.compile(
    r"([A-Za-z][\w/.\- ]{0,60}?(?:\([^)]{1,12}\))?)\s{0,8}[:=]\s{0,8}"
    r"([-+]?(?:\d{1,3}(?:,\d{3}){1,6}(?:\.\d{1,12})?|\d{1,40}(?:\.\d{0,40})?(?:[eE][-+]?\d{1,4})?"
    r"|nan|inf|NaN|Infinity))"
    r"([KMGBT](?![A-Za-z])|ms|%)?(?![\d.:])"
)
_UNITS: Final = {"K": 1e3, "M": 1e6, "G": 1e9, "B": 1e9, "T": 1e12, "ms": 1e-3}


def grouped(text: str) -> dict[str, float]:
    """Return names and values; 1,234 is a thousand odd, 1.5K is 1500, 10ms is 0.01."""
    found = {}
    for match in _PAIR.finditer(text):
        number = value(match.group(2).replace(",", ""))
        if number is not None:
            found[match.group(1).strip()] = number * _UNITS.get(match.group(3) or "", 1.0)
    return found
