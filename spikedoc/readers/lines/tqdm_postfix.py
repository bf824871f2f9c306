"""Progress bars with values (Lightning, Accelerate): `34/96 [10:42<30:50, 2.5it/s, loss=0.5]`."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Final

from spikedoc.readers._numbers import LARGEST_STEP
from spikedoc.readers.lines._pairs import CACHED_NAMES, is_held_out, pairs
from spikedoc.readers.lines.base import NOTHING, LineProfile, Record
from spikedoc.text import Text

EPOCHS_NOTE: Final = Text(
    "the bars name no epoch: a bar that begins after a full one of the same length was taken for "
    "the next epoch",
    "进度条没有写明 epoch：走满之后重新开始的等长进度条视为下一个 epoch",
)
VALIDATION_NOTE: Final = Text(
    "values of validation are the last ones that its bar showed: "
    "a mean, or those of the last batch",
    "验证指标取其进度条最后显示的值：可能是均值，也可能是最后一个批次的值",
)
_BAR: Final = re.compile(
    r"(?:^|[\s|])(\d{1,12})/(\d{1,12}|\?) \[[\d:]{4,12}<[^,\]]{1,20}(?:,\s{0,3}[^,\]]{1,24})?"
    r"(?:, ([^\]]{3,2000}))?\]"
)
_EPOCH: Final = re.compile(
    r"(?<![a-z])ep(?:och)?\s?[:=#]?\s?\[?(\d{1,6})(?:\s?/\s?\d{1,6})?(?![\d.])", re.IGNORECASE
)
# What a bar draws of itself before its number: the share and the blocks.
_DRAWN: Final = re.compile(r"\s{0,3}\d{1,3}%\|[^|]{0,400}\|?$")
_GLOBAL: Final = ("global_step", "step", "steps")
# "Map (num_proc=4): 100%|…": the `datasets` library preparing its data.
_IGNORED: Final = ("v_num", "num_proc", "it/s", "s/it", "epoch", "Epoch", "epochs", "Epochs")


@dataclass(frozen=True, slots=True)
class _Frame:
    """What the bar showed last at one place."""

    place: Record  # without values
    batch: int
    batches: int | None
    values: Mapping[str, float]


class _Parser:
    """Frames are drawn many times a batch: one record for each number of the bar.

    A number is drawn before its values, so that its last frame counts. Loops that set the values
    before they count show those of the first batch at 0, and repeat the last ones when full;
    Lightning shows at 0 those of the epoch before. Values of validation and means of the epoch
    stay in the bar: they are taken when they change and at the end of the epoch that brings them.
    """

    def __init__(self) -> None:
        self.frame: _Frame | None = None
        self.passed = 0  # batches of the bars before, where no epoch is named
        self.shown: dict[str, float] = {}
        self.is_taken = False  # the values of this place, but for those that linger
        self.has_first = False  # this epoch showed values at 0
        self.is_validated = self.has_validation_bars = False

    def take(self, line: str) -> Record | None:
        bar = _BAR.search(line)
        if bar is None:
            return None
        if bar.group(3) is None and pairs(line[bar.end() :]):
            return None
        front = _DRAWN.sub("", line[: bar.start()])
        values = {**pairs(front), **(pairs(f"| {bar.group(3)}") if bar.group(3) else {})}
        values = {name: value for name, value in values.items() if name not in _IGNORED}
        batch = int(bar.group(1))
        batches = int(bar.group(2)) if bar.group(2).isdigit() else None
        if is_held_out(front) and not _EPOCH.search(front):
            return self._validation(values if batch == batches else {})
        if is_held_out(front) or not values:
            return NOTHING
        return self._training(front, batch, batches, values) or NOTHING

    def end(self) -> Record | None:
        return self._left(is_over=True)

    def settled(self) -> Record | None:
        """Return what a full bar shows: what is printed below it belongs to its epoch."""
        frame = self.frame
        if frame is None or self.is_taken or not frame.place.epoch or frame.batch != frame.batches:
            return None
        left = self._left(is_over=False)
        self.is_taken = True
        return left

    def _training(
        self, front: str, batch: int, batches: int | None, values: dict[str, float]
    ) -> Record | None:
        place = self._place(front, batch, batches, values)
        before = self.frame
        is_same = before is not None and (
            _where(before.place) == _where(place)
            # one bar over all epochs, with the epoch in its description
            or (place.step is None and before.batch == batch != batches == before.batches)
        )
        left = None if is_same else self._left(is_over=True)
        if before and is_same and place.step is not None:
            place = before.place
        self.frame = _Frame(place, batch, batches, values)
        return left

    def _place(
        self, front: str, batch: int, batches: int | None, values: dict[str, float]
    ) -> Record:
        named = [values.pop(name) for name in _GLOBAL if name in values]
        if named and named[0] == named[0] // 1 and abs(named[0]) < LARGEST_STEP:
            return Record(step=int(named[0]))
        epoch = _EPOCH.search(front)
        if epoch:
            return Record(epoch=epoch.group(1), batch=batch, batches=batches)
        last = self.frame
        is_next = last and batch < last.batch and batches and last.batch >= batches - 1
        if last and is_next and batches == last.batches and batches:
            self.passed += batches
            known = {"steps_per_epoch": batches}
            notes = (EPOCHS_NOTE,)
            return Record(step=self.passed + batch, batch=batch, notes=notes, config=known)
        return Record(step=self.passed + batch, batch=batch)

    def _validation(self, values: Mapping[str, float]) -> Record:
        """A bar of held-out data: the values of the training before it are complete."""
        left = None if self.is_taken else self._left(is_over=False)
        self.is_validated = self.has_validation_bars = self.is_taken = True
        own = {n if _lingers(n) else f"val_{n}": value for n, value in values.items()}
        if left is None and own and self.frame is not None:
            left = self.frame.place
        if left is None:
            return NOTHING
        notes = (*left.notes, VALIDATION_NOTE) if own else left.notes
        return replace(left, values={**left.values, **own}, notes=notes)

    def _left(self, *, is_over: bool) -> Record | None:
        """The record of the frame, without what was taken or shown at another place."""
        frame = self.frame
        if frame is None:
            return None
        is_full = frame.batch == frame.batches
        lasting = {name: value for name, value in frame.values.items() if _lingers(name)}
        own = {name: value for name, value in frame.values.items() if name not in lasting}
        is_repeated = all(self._is_shown(item) for item in own.items())
        if frame.batch == 0:
            self.has_first = not is_repeated
        if self.is_taken or (is_repeated and (frame.batch == 0 or (is_full and self.has_first))):
            own = {}
        is_end = is_full and is_over and (self.is_validated or not self.has_validation_bars)
        kept = {
            name: value
            for name, value in lasting.items()
            if not self._is_shown((name, value)) or (is_end and frame.batch)
        }
        self.shown.update(frame.values if is_over else {**own, **kept})
        self.is_taken = self.is_taken and not is_over
        self.is_validated = self.is_validated and not is_end
        values = {name: value for name, value in frame.values.items() if name in {**own, **kept}}
        return replace(frame.place, values=values) if values else None

    def _is_shown(self, item: tuple[str, float]) -> bool:
        name, value = item
        if name not in self.shown:
            return False
        shown = self.shown[name]
        return value == shown or (math.isnan(value) and math.isnan(shown))


def _where(place: Record) -> tuple[int | None, str, int | None]:
    return place.step, place.epoch, place.batch


@lru_cache(maxsize=CACHED_NAMES)
def _lingers(name: str) -> bool:
    """Whether the value stays in the bar until the next validation or epoch."""
    return is_held_out(name.replace("_", " ").replace("/", " ")) or name.endswith("_epoch")


def _claims(line: str) -> bool:
    return "<" in line and "/" in line and "[" in line


PROFILE: Final = LineProfile("tqdm_postfix", 600, _claims, _Parser)
