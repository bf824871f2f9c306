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
        if before is None or (before.epoch == now.epoch and _same(before, now)):
            return NOTHING
        # by now the bar has counted the batch of the values before
        return replace(before, batch=batch) if before.epoch == now.epoch else before

    def end(self) -> Record | None:
        return self.shown


def _same(a: Record, b: Record) -> bool:
    return {name: repr(value) for name, value in a.values.items()} == {
        name: repr(value) for name, value in b.values.items()
    }


def _claims(line: str) -> bool:
    return "Epoch [" in line and "%|" in line


PROFILE: Final = LineProfile("ignite", 585, _claims, _Parser)
