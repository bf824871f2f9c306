"""MosaicML Composer: `[epoch=1][batch=2/8]:`, then `Train loss/train/total: 2.1` a line."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Final

from spikedoc.readers._numbers import number
from spikedoc.readers.lines.base import NOTHING, LineProfile, Record

_PLACE: Final = re.compile(
    r"\[(?:epoch=(\d{1,6})\]\[)?(batch|token|sample|iteration)=(\d{1,15})(?:/(\d{1,15}))?\]:?"
)
_HELD_OUT: Final = re.compile(r"\[Eval batch=\d{1,12}/\d{1,12}\] Eval on .{1,200} data:?")
_VALUE: Final = re.compile(r"(?:Train|Eval) ([A-Za-z_]\S{0,200}): (\S{1,60})")
# What its FileLogger writes, and what it copies from the console beside that.
_METRIC: Final = re.compile(r"\[metric\]\[batch=(\d{1,15})\]: ([A-Za-z_]\S{0,200}): (\S{1,60})")
_COPIED: Final = re.compile(r"\[std(?:err|out)\]:\s{0,8}")
# Counts every optimizer step from 0, whatever the duration is given in.
_BATCHES: Final = "time/batch"


class _Parser:
    """Values belong to the place above them; those of evaluations to the last one of training."""

    def __init__(self) -> None:
        self.place: Record | None = None
        self.values: dict[str, float] = {}
        self.counts_batches = False
        self.has_metrics = False

    def take(self, line: str) -> Record | None:
        metric = _METRIC.fullmatch(line)
        if metric is not None:
            self.has_metrics = True
            number_found = number(metric.group(3))
            found = {} if number_found is None else {metric.group(2): number_found}
            return Record(found, int(metric.group(1))) if found else NOTHING
        copied = _COPIED.match(line)
        if copied is None:
            return self._of_console(line)
        record = self._of_console(line[copied.end() :])
        return NOTHING if self.has_metrics and record is not None else record

    def _of_console(self, line: str) -> Record | None:
        match = _PLACE.fullmatch(line)
        if match is None and _HELD_OUT.fullmatch(line) is None:
            return self._value(line)
        record = self.end()
        if match is not None:
            epoch, unit, count, total = match.groups()
            self.counts_batches = unit == "batch"
            batches = int(total) if total else None
            if epoch:
                self.place = Record(epoch=epoch, batch=int(count), batches=batches)
            else:
                self.place = Record(step=int(count))
        return record or NOTHING

    def end(self) -> Record | None:
        """Return the record that is open, if it is written nowhere else."""
        values, self.values = self.values, {}
        if self.place is None or not values or self.has_metrics:
            return None
        place = self.place
        batches = values.get(_BATCHES)
        if not self.counts_batches and batches is not None and batches == batches // 1:
            place = self.place = Record(step=int(batches) + 1)
        return replace(place, values=values)

    def _value(self, line: str) -> Record | None:
        match = _VALUE.fullmatch(line) if self.place is not None else None
        value = number(match.group(2)) if match else None
        if match is None:
            return None
        if value is not None:
            self.values[match.group(1)] = value
        return NOTHING


def _claims(line: str) -> bool:
    return line.startswith(
        (
            "Train ",
            "Eval ",
            "[epoch=",
            "[batch=",
            "[token=",
            "[sample=",
            "[Eval ",
            "[it",
            "[metric]",
            "[std",
        )
    )


PROFILE: Final = LineProfile("composer", 545, _claims, _Parser)
