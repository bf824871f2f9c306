"""How far a number may lie from that of healthy runs: `max_increase = "3 %"`."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import Any, Final

from spikedoc.errors import UsageError
from spikedoc.text import Text

PERCENT: Final = re.compile(r"\s*(\d+(?:\.\d+)?)\s*[%％]\s*$")


@dataclass(frozen=True, slots=True)
class Change:
    """An allowance: a share of the healthy number, or an amount in its unit."""

    amount: float
    is_percent: bool

    def of(self, healthy: float) -> float:
        """Return the allowance beside the number `healthy`, in its unit."""
        return abs(healthy) * self.amount / 100.0 if self.is_percent else self.amount

    def __str__(self) -> str:
        """Return it as people write it."""
        return f"{self.amount:g} %" if self.is_percent else f"{self.amount:g}"


def parse_change(value: Any, where: str) -> Change:
    """Return the allowance written as `"3 %"` or as a number; UsageError for anything else."""
    found = PERCENT.match(value) if isinstance(value, str) else None
    amount = _amount(float(found.group(1)) if found else value)
    if not 0.0 <= amount < math.inf:
        told = Text('expected "3 %" or a number that is not negative', '应为 "3 %" 或非负数')
        raise UsageError(told, at=where)
    return Change(amount, is_percent=found is not None)


def _amount(value: Any) -> float:
    """The number; NaN for what is none, infinity for one beyond all doubles."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return math.nan
    try:
        return float(value)
    except OverflowError:
        return math.inf
