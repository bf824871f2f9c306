"""Progress bars with values (Lightning, Accelerate): `34/96 [10:42<30:50, 2.5it/s, loss=0.5]`."""

from __future__ import annotations

import re
from typing import Final

from spikedoc.readers.lines._pairs import is_held_out, pairs
from spikedoc.readers.lines.base import NOTHING, LineProfile, Record, Remembering

_BAR: Final = re.compile(
    r"(?:^|[\s|])(\d{1,12})/(\d{1,12}|\?) \[[\d:]{4,12}<[^,\]]{1,20}(?:,\s{0,3}[^,\]]{1,24})?"
    r"(?:, ([^\]]{3,2000}))?\]"
)
_EPOCH: Final = re.compile(r"Epoch (\d{1,6})(?:/\d{1,6})?(?:, global step \d{1,12})?\s?[:|]?")
_GLOBAL: Final = ("global_step", "step", "steps")
_IGNORED: Final = ("v_num", "it/s", "s/it")


class _Parser(Remembering):
    """Frames are drawn many times a batch: one record for each number of the bar."""

    def __init__(self) -> None:
        self.last: tuple[str, int] | None = None

    def take(self, line: str) -> Record | None:
        bar = _BAR.search(line)
        if bar is None:
            return None
        if bar.group(3) is None:
            behind = pairs(line[bar.end() :])
            return None if behind else NOTHING
        front = line[: bar.start()]
        epoch = _EPOCH.search(front)
        batch, total = int(bar.group(1)), bar.group(2)
        place = (epoch.group(1) if epoch else "", batch)
        values = {n: v for n, v in pairs(f"| {bar.group(3)}").items() if n not in _IGNORED}
        if not values or (place == self.last and not epoch) or is_held_out(front):
            return NOTHING
        self.last = place
        step = next((values.pop(name) for name in _GLOBAL if name in values), None)
        batches = int(total) if total.isdigit() else None
        if step is not None and step == step // 1:
            return Record(values, int(step))
        if epoch is None:
            return Record(values, batch)
        return Record(values, None, epoch.group(1), batch, batches)


def _claims(line: str) -> bool:
    return "<" in line and "/" in line and "[" in line


PROFILE: Final = LineProfile("tqdm_postfix", 600, _claims, _Parser)
