"""Home-made loops: `Epoch [3/10], Step [20/100], Loss: 0.5`, `Train loss: 0.5`, `[3] loss 1`."""

from __future__ import annotations

import re
from typing import Final

from spikedoc.readers.lines._pairs import LONGEST_RECORD, QUANTITY, is_held_out, pairs
from spikedoc.readers.lines._position import Position, position
from spikedoc.readers.lines.base import LineProfile, Record, Remembering

_ABOUT: Final = re.compile(
    r"loss|grad|\blr\b|learning|acc|ppl|perplexity|reward|err|score|mse|dice|iou|[GD]_\w{2,12}: ",
    re.IGNORECASE,
)
_DIGIT: Final = re.compile(r"\d|nan|inf", re.IGNORECASE)
# A line that is no more than a heading with an epoch.
_HEADING: Final = re.compile(
    r"\W{0,12}(?:train(?:ing)?\s)?epoch[\s:#]{1,4}\[?(\d{1,6})(?:\s?/\s?\d{1,6})?\W{0,40}", re.I
)
# Without a step or an epoch a line must be about one of these, and be hardly more than numbers.
_SURE: Final = re.compile(
    r"loss|acc(?![a-z]{5})|accuracy|perplexity|ppl|reward|error|dice|iou|bleu|grad.?norm|^[gd]_\w",
    re.IGNORECASE,
)
_SETTING: Final = re.compile(
    r"weight|scale|type|func|alpha|coef|lambda|decay|epoch|num|size|smooth|interval|freq|accum"
    r"|threshold|target|margin|ratio|label|best|max|min|total_?acc|thresh",
    re.IGNORECASE,
)
LONGEST_LOOSE: Final = 600
MOST_LOOSE_WORDS: Final = 3
# Letters outside of names and numbers, as a share of the line.
MOST_OTHER_LETTERS: Final = 0.35
_LETTERS: Final = re.compile(r"[A-Za-z]")
_LOGGER: Final = re.compile(
    r"^\W{0,2}(?:INFO|DEBUG|WARNING)?[:\s\]]{0,4}(?:[\w.]{1,80}:|.{0,60}?\bINFO\b\W{0,5})"
)
_COUNTERS: Final = frozenset(
    {"epoch", "epochs", "ep", "step", "steps", "global_step", "global step", "iter", "iters",
     "iteration", "iterations", "it", "batch", "batches", "update", "updates", "num_updates", "eta",
     "batch_idx"}
)  # fmt: skip


class _Parser(Remembering):
    def __init__(self) -> None:
        self.epoch = ""

    def take(self, line: str) -> Record | None:
        line = line[:LONGEST_RECORD]
        heading = _HEADING.fullmatch(line)
        if heading:
            self.epoch = heading.group(1)
            return Record()
        if not _ABOUT.search(line):
            return None
        place = position(line)
        values = _values(line, place)
        if not values:
            return None
        if place is None:
            return self._loose(line, values)
        if not any(QUANTITY.search(name) for name in values) or not _ABOUT.search(" ".join(values)):
            return None
        return Record(values, place.step, place.epoch, place.batch, place.batches)

    def _loose(self, line: str, values: dict[str, float]) -> Record | None:
        """A line that names no place: taken when it is little more than names and numbers."""
        sure = [n for n in values if _SURE.search(n) and not _SETTING.search(n)]
        if not sure or len(line) > LONGEST_LOOSE:
            return None
        if any(len(name.split()) > MOST_LOOSE_WORDS for name in sure):
            return None
        text = _LOGGER.sub("", line, count=1)
        rest = len(_LETTERS.findall(text)) - sum(len(_LETTERS.findall(n)) for n in values)
        if rest > MOST_OTHER_LETTERS * len(text):
            return None
        return Record(values, None, self.epoch, is_loose=True)


def _values(line: str, place: Position | None) -> dict[str, float]:
    start = 0 if place is None or not is_bracketed(line, place) else place.end
    values = pairs(f" {line[start:]}")
    found = {n: v for n, v in values.items() if n.lower().removeprefix("val_") not in _COUNTERS}
    if found and is_held_out(line[: line.find(next(iter(found)).removeprefix("val_"))][-60:]):
        found = {n if is_held_out(n.replace("_", " ")) else f"val_{n}": v for n, v in found.items()}
    return found


def is_bracketed(line: str, place: Position) -> bool:
    """Return whether the words about the place end before any value."""
    return place.end > 0 and "=" not in line[: place.end]


def _claims(line: str) -> bool:
    return _DIGIT.search(line) is not None


PROFILE: Final = LineProfile("generic", 900, _claims, _Parser)
