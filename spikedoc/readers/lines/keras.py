"""Keras: `Epoch 1/30`, then bars `20/20 [====] - 2s 85ms/step - loss: 9.2 - val_loss: 8.0`."""

from __future__ import annotations

import re
from typing import Final

from spikedoc.readers._notes import RUNNING_MEAN
from spikedoc.readers.lines._pairs import pairs
from spikedoc.readers.lines.base import NOTHING, LineProfile, Record, Remembering

MEAN_NOTE: Final = RUNNING_MEAN.fill({"writer": "Keras"})
_EPOCH: Final = re.compile(r"Epoch (\d{1,6})(?:/\d{1,6})?")
_BAR: Final = re.compile(r"(\d{1,12})/(\d{1,12}) (?:\[[=>.]{5,80}\]|━{1,80}|-) (.{3,2000})")
# `Epoch 3/30 - loss: 0.5` counts epochs, no batches: a home-made line for a whole epoch.
_BEFORE_EPOCH: Final = re.compile(r"(?:epoch|ep)s?[ :#=\[(]{0,3}$", re.IGNORECASE)
_LONGEST_BEFORE: Final = 12
_PLAIN: Final = re.compile(r"-? ?(?:\d{1,9}s - )?(\w{0,40}loss: .{3,2000})")
_TEST: Final = "test_"


class _Parser(Remembering):
    def __init__(self) -> None:
        self.epoch = 0
        self.batch = 0
        self.batches = 0
        self.has_heading = False
        self.is_over = False  # all batches of the epoch have passed

    def take(self, line: str) -> Record | None:
        head = _EPOCH.fullmatch(line)
        if head:
            self.epoch, self.batch, self.has_heading = int(head.group(1)), 0, True
            self.batches, self.is_over = 0, False
            return None  # other home-made logs have such headings too
        bar = _BAR.search(line)
        if bar and _BEFORE_EPOCH.search(line[max(0, bar.start() - _LONGEST_BEFORE) : bar.start()]):
            return None
        if bar:
            return self._bar(int(bar.group(1)), int(bar.group(2)), bar.group(3))
        plain = _PLAIN.fullmatch(line) if self.has_heading and " - " in f" {line}" else None
        if plain is None or (not line.startswith("-") and "s - " not in line):
            return None
        return Record(_values(plain.group(1)), None, str(self.epoch))

    def _bar(self, batch: int, batches: int, text: str) -> Record:
        if not self.has_heading and (batch < self.batch or not self.epoch):
            self.epoch += 1
        values = _values(text)
        if self.is_over and self.has_heading and (batch, batches) != (self.batches, self.batches):
            return self._evaluation(values)
        self.batch, self.batches, self.is_over = batch, batches, batch == batches
        if not values:
            return NOTHING
        return Record(values, None, str(self.epoch), batch, batches, notes=(MEAN_NOTE,))

    def _evaluation(self, values: dict[str, float]) -> Record:
        """A bar behind the last of an epoch and without a heading is that of `evaluate`."""
        found = {f"{_TEST}{name}": value for name, value in values.items()}
        return Record(found, None, str(self.epoch), self.batches, self.batches)


def _values(text: str) -> dict[str, float]:
    found = pairs(f" - {text}")
    return {name: value for name, value in found.items() if name != "ETA"}


def _claims(line: str) -> bool:
    return (
        "loss: " in line and (" - " in line or line.startswith("-") or "━" in line)
    ) or line.startswith("Epoch ")


PROFILE: Final = LineProfile(
    "keras", 460, _claims, _Parser, last_frame_only=True, framework="keras"
)
