"""Ignite's ProgressBar: `Epoch [1/3]: [2/8]  25%|██▌       , loss=1.91 [00:00<00:00]`."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Final

from spikedoc.readers.lines._pairs import pairs
from spikedoc.readers.lines.base import NOTHING, LineProfile, Record

_FRAME: Final = re.compile(
    r"(?:[\w ]{1,40}: )?Epoch \[(\d{1,6})/\d{1,6}\]:? \[(\d{1,12})/(\d{1,12})\]\s{1,4}\d{1,3}%\|"
    r"[^,\[]{0,200}(?:, ([^\[]{3,2000}))? \[[\d:]{4,12}<[^\]]{1,20}\]"
)


class _Parser:
    """New values are drawn before the bar counts on: those of a batch show its number last."""

    def __init__(self) -> None:
        self.shown: Record | None = None
        self.since = 0  # the batch that the bar counted when these values were drawn first

    def take(self, line: str) -> Record | None:
        match = _FRAME.search(line)
        if match is None:
            return None
        values = pairs(f"| {match.group(4)}") if match.group(4) else {}
        if not values:
            return NOTHING
        batch, batches = int(match.group(2)), int(match.group(3))
        before, now = self.shown, Record(values, None, match.group(1), batch, batches)
        self.shown = now
        if before is not None and before.epoch == now.epoch and _same(before, now):
            return self._again(now, batch)
        self.since = batch
        if before is None:
            return NOTHING
        # by now the bar has counted the batch of the values before
        return replace(before, batch=batch) if before.epoch == now.epoch else before

    def _again(self, now: Record, batch: int) -> Record:
        """The same values count once more where the bar has moved on by more than their batch."""
        if batch - self.since < 2:
            return NOTHING
        self.since = batch - 1
        return replace(now, batch=self.since)

    def end(self) -> Record | None:
        return self.shown


def _same(a: Record, b: Record) -> bool:
    return {name: repr(value) for name, value in a.values.items()} == {
        name: repr(value) for name, value in b.values.items()
    }


def _claims(line: str) -> bool:
    return "Epoch [" in line and "%|" in line


PROFILE: Final = LineProfile("ignite", 585, _claims, _Parser)
