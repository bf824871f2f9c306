"""nanochat: `step 00010/21400 (0.05%) | loss: 10.3 | lrm: 1.00 | dt: 500.1ms | tok/sec: 1,024`."""

from __future__ import annotations

import re
from typing import Final

from spikedoc.readers.lines._grouped import grouped
from spikedoc.readers.lines.base import LineProfile, Record, stateless

_TRAIN: Final = re.compile(r"step (\d{1,15})/(\d{1,15}) \([^)]{1,12}\) \|(.{3,600})")
_EVAL: Final = re.compile(r"Step (\d{1,15}) \|(.{3,200})")


def _take(line: str) -> Record | None:
    match = _TRAIN.search(line)
    if match:
        values = grouped(match.group(3))
        config = {"total_steps": int(match.group(2))}
        return Record(values, int(match.group(1)), config=config) if values else None
    match = _EVAL.match(line)
    values = grouped(match.group(2)) if match else {}
    return Record(values, int(match.group(1))) if match and values else None


def _claims(line: str) -> bool:
    is_evaluation = line.startswith("Step ") and " | Validation" in line
    return is_evaluation or ("%) |" in line and "step " in line)


PROFILE: Final = LineProfile("nanochat", 340, _claims, stateless(_take))
