"""torchtitan: `step:  1  loss:  8.1  grad_norm: 1.2  memory: 0.5GiB(1%)  tps: 1,234  mfu: 1.1%`."""

from __future__ import annotations

import re
from typing import Final

from spikedoc.readers.lines._grouped import grouped
from spikedoc.readers.lines.base import LineProfile, Record, stateless

_LINE: Final = re.compile(
    r"(validate )?step:\s{1,12}(\d{1,3}(?:,\d{3}){1,4}|\d{1,15})\s{1,8}(loss:.{3,600})"
)


def _take(line: str) -> Record | None:
    match = _LINE.search(line)
    if match is None:
        return None
    values = grouped(match.group(3))
    values.pop("memory", None)
    if match.group(1):
        values = {
            f"validate {name}" if name != "loss" else "val_loss": v for name, v in values.items()
        }
    return Record(values, int(match.group(2).replace(",", "")))


def _claims(line: str) -> bool:
    return "step: " in line and " loss: " in line and "memory: " in line


PROFILE: Final = LineProfile("torchtitan", 350, _claims, stateless(_take))
