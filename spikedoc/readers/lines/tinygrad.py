"""tinygrad's examples, which put names behind values: `12 45.2 ms run, …, 2.31 loss, 0.01 LR`."""

from __future__ import annotations

import re
from typing import Final

from spikedoc.readers.lines._pairs import NUMBER, value
from spikedoc.readers.lines._quantities import PLACED
from spikedoc.readers.lines.base import LineProfile, Record, stateless

_LINE: Final = re.compile(rf"(\d{{1,12}})\s{{1,8}}({NUMBER}) ms (?:run|step), (.{{3,1000}})")
# eval     4567/10000 45.67%,    1.23 val_loss STEP=100 (in 12.34 ms); ema: of the averaged model
_EVAL: Final = re.compile(
    rf"eval( ema)?\s{{1,8}}\d{{1,12}}/\d{{1,12}} ({NUMBER})%,\s{{1,8}}({NUMBER}) val_loss "
    r"STEP=(\d{1,12})\b.{0,60}"
)
_CELL: Final = re.compile(
    rf"(?:^|,\s)\s{{0,8}}({NUMBER})(?:\s?(ms|%))? ([A-Za-z_][\w @/]{{0,40}}?)(?=,|\s*$)"
)
_MS: Final = 1e-3


def _take(line: str) -> Record | None:
    match = _LINE.fullmatch(line)
    if match is None:
        return _evaluation(line)
    values: dict[str, float] = {}
    for token, unit, name in _CELL.findall(match.group(3)):
        number = value(token)
        if number is not None:
            values[name.strip()] = number * _MS if unit == "ms" else number
    if not any(map(PLACED.search, values)):
        return None
    run = value(match.group(2))
    if run is not None:
        values["step_time"] = run * _MS
    return Record(values, int(match.group(1)))


def _evaluation(line: str) -> Record | None:
    match = _EVAL.fullmatch(line)
    if match is None:
        return None
    front = "val_ema" if match.group(1) else "val"
    named = {f"{front}_acc": value(match.group(2)), f"{front}_loss": value(match.group(3))}
    return Record({n: v for n, v in named.items() if v is not None}, int(match.group(4)))


def _claims(line: str) -> bool:
    return (line[:1].isdigit() and " ms " in line) or line.startswith("eval ")


PROFILE: Final = LineProfile("tinygrad", 433, _claims, stateless(_take))
