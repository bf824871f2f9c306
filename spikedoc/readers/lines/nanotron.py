"""nanotron: `iteration: 10 / 100 | consumed_tokens: 1.5M | lm_loss: 5.1 | grad_norm: 1.2 | …`."""

from __future__ import annotations

import re
from typing import Final

from spikedoc.readers.lines._grouped import grouped
from spikedoc.readers.lines.base import LineProfile, Record, stateless

_LINE: Final = re.compile(r"iteration: (\d{1,15}) / (\d{1,15}) \|(.{3,1500})")


def _take(line: str) -> Record | None:
    match = _LINE.search(line)
    values = grouped(match.group(3)) if match else {}
    if match is None or not values:
        return None
    return Record(values, int(match.group(1)), config={"total_steps": int(match.group(2))})


def _claims(line: str) -> bool:
    return "iteration: " in line and " | " in line


PROFILE: Final = LineProfile("nanotron", 115, _claims, stateless(_take))
