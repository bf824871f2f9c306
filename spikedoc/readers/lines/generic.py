"""Home-made loops: `Epoch [3/10], Step [20/100], Loss: 0.5`, `Train loss: 0.5`, `[3] loss 1`."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import lru_cache
from typing import Final

from spikedoc.readers.lines._commas import are_decimal, may_have_commas, with_colons, with_points
from spikedoc.readers.lines._loggers import message
from spikedoc.readers.lines._pairs import (
    CACHED_NAMES,
    LONGEST_RECORD,
    is_held_out,
    is_training,
    pairs,
    unwrapped,
)
from spikedoc.readers.lines._position import Position, position
from spikedoc.readers.lines._quantities import BARE, PLACED, STEMS, SURE
from spikedoc.readers.lines._sections import TRAIN, VAL, named, named_by, section_in
from spikedoc.readers.lines._sentences import as_pairs
from spikedoc.readers.lines._spelling import spelled_out, ungrouped
from spikedoc.readers.lines.base import LineProfile, Record, Remembering
from spikedoc.text import Text

_DIGIT: Final = re.compile(r"\d|nan|inf", re.IGNORECASE)
# A line that is no more than a heading with an epoch.
_HEADING: Final = re.compile(
    r"\W{0,12}(?:(?:start|starting|begin|beginning|finished|completed|end of)\s)?"
    r"(?:(?P<section>train(?:ing)?|val(?:id(?:ation)?)?|eval(?:uation)?|test(?:ing)?)\s)?"
    r"epoch[\s:#=]{1,4}\[?(?P<epoch>\d{1,6})(?:\s?/\s?\d{1,6})?"
    r"(?:\s(?:done|finished|completed?|ended))?\W{0,40}"
    # how long it took: Epoch: 01 | Time: 0m 14s
    r"(?:(?:epoch\s)?time[\s:=]{1,4}[\d.:\shmsec]{1,24})?",
    re.I,
)
_SETTING: Final = re.compile(
    r"weight|scale|type|func|alpha|(?<!dice )(?<!dice_)coef|lambda|decay|epoch|num|size|smooth"
    r"|interval|freq|accum|threshold|target|margin|ratio|label|best|max|min(?!i-?batch)|total_?acc|thresh",
    re.IGNORECASE,
)
_LR: Final = re.compile(r"lr|learning[ _-]?rate", re.IGNORECASE)
_HELD_OUT: Final = ("val", "eval", "test", "dev")
ROUNDED_NOTE: Final = Text(
    "steps are printed rounded (12.55k); records that share one are counted on by one",
    "打印的步数经过取整（12.55k）：步数相同的记录逐一加 1 计数",
)
LONGEST_PREFIX: Final = 60
LONGEST_LOOSE: Final = 600
# A longer one is a record all the same when it is a list of so many names with their numbers.
MANY_VALUES: Final = 12
MOST_LOOSE_WORDS: Final = 3
# Letters outside of names and numbers, as a share of the line.
MOST_OTHER_LETTERS: Final = 0.35
_LETTERS: Final = re.compile(r"[A-Za-z]")
# "checkpoint-500: eval_loss 0.5": checkpoints are numbered by steps where a hyphen is between.
# "Epoch is [1/600], loss is 0.5": a word for the sign between.
_IS: Final = re.compile(r"(?<=[A-Za-z_)]) is (?=\[?\s{0,4}[-+]?\.?\d)")
_CHECKPOINT: Final = re.compile(r"\W{0,3}checkpoint-(\d{1,12})\b", re.IGNORECASE)
# "Evaluating ckpt_500.pt: val_loss 0.5": the number of the file may be that of a step.
_FILE: Final = re.compile(
    r"\W{0,3}(?:(?:re)?(?:eval|test|validat)\w{0,8} )?[\w./\-]{0,80}?"
    r"(?:model|net|weights|state|ckpt|checkpoint|iter|snapshot|step|epoch|ep)[-_=]{0,2}(\d{1,12})"
    r"\.(?:pth?|ckpt|bin|safetensors|h5|keras|tar|npz|pkl|params|msgpack)\b[\s:|,\-]{0,6}",
    re.IGNORECASE,
)
# Numbers that are spelt with letters.
_NOT_FINITE: Final = re.compile(r"(?<![A-Za-z])(?:nan|inf(?:inity)?)(?![A-Za-z])", re.IGNORECASE)
_STAMP: Final = re.compile(
    r"[\[(]?(?:\d{1,4}[-/.]\d{1,2}(?:[-/.]\d{1,4})?[ T]{1,2})?"
    r"\d\d:\d\d:\d\d(?:[.,]\d{1,9})?Z?[\])]?"
)
# What absl and glog put before a message: I1130 07:01:16.416891 140042420857728 train.py:35]
_GLOG: Final = re.compile(
    r"[IWEF]\d{4} \d\d:\d\d:\d\d\.\d{1,9}\s{1,8}\d{1,20}\s[\w./\-]{1,200}:\d{1,6}\]\s"
)
# ImageNet examples of PyTorch close a validation so.
_RESULT: Final = re.compile(r"\*?\s?(?:Test:\s{0,4})?(?=(?:Acc|Prec)@\d)")
_LOGGER: Final = re.compile(
    r"^\W{0,2}(?:INFO|DEBUG|WARNING)?[:\s\]]{0,4}(?:[\w.]{1,80}:|.{0,60}?\bINFO\b\W{0,5})"
)
_COUNTERS: Final = frozenset(
    {"epoch", "epochs", "ep", "step", "steps", "global_step", "global step", "iter", "iters",
     "iteration", "iterations", "it", "batch", "batches", "update", "updates", "num_updates", "eta",
     "gen", "generation"}
)  # fmt: skip
# step_idx, stepIdx: a counter by another word.
_COUNTED: Final = re.compile(r"[_ \-]?(?:id|idx|index|num|number|count)$")


class _Parser(Remembering):
    def __init__(self) -> None:
        self.epoch = self.section = ""
        self.has_sections = False  # the heading of one of training has come
        self.has_decimal_commas = False
        self.rounded = 0  # the last step that was printed rounded
        self.counted = 0  # records of it
        self.names: frozenset[str] = frozenset()  # what the last of them say

    def take(self, line: str) -> Record | None:
        line = as_pairs(unwrapped(_without_stamp(line[:LONGEST_RECORD])))
        line, coarse = spelled_out(ungrouped(self._plain(line)))
        line = _IS.sub(": ", line)
        said = message(line)
        heading = _HEADING.fullmatch(said)
        if heading:
            self.epoch, self.section = heading["epoch"], section_in(heading["section"] or "")
            return Record()
        self._open(section_in(said))
        lower = line.lower()
        if not any(word in lower for word in STEMS):
            return None
        place = position(lower)
        values = _values(line, place)
        if values and any(word in lower for word in _HELD_OUT):
            values = _held_out(line, values)
        if place is None and _RESULT.match(line):
            values = {n if n.startswith("val_") else f"val_{n}": v for n, v in values.items()}
        if not values:
            return None
        if place is None:
            return self._below(self._loose(line, values))
        if not _are_quantities(tuple(values)):
            return None
        self.section = ""
        step = self._counted_on(place.step, coarse, frozenset(values))
        notes = (ROUNDED_NOTE,) if coarse else ()
        batches, bare = place.batches, place.is_bare
        return Record(values, step, place.epoch, place.batch, batches, is_bare=bare, notes=notes)

    def _open(self, section: str) -> None:
        """Take the lines below for those of a section, where its heading is the line."""
        self.section = section or self.section
        self.has_sections |= section == TRAIN

    def _below(self, record: Record | None) -> Record | None:
        """A record without a place, by the section that it stands in."""
        if record is None or self.section in ("", TRAIN):
            return record
        if self.epoch or self.has_sections:
            return replace(record, values=named_by(self.section, record.values))
        return replace(record, section=self.section)

    def _plain(self, line: str) -> str:
        """The line with decimal points, and a colon behind each name."""
        if "," not in line:
            return line
        line = with_colons(line)
        if may_have_commas(line):
            self.has_decimal_commas = self.has_decimal_commas or are_decimal(line)
            return with_points(line) if self.has_decimal_commas else line
        return line

    def _counted_on(self, step: int | None, coarse: int, names: frozenset[str]) -> int | None:
        """The step of a record whose own is rounded to `coarse` steps, 0 for an exact one."""
        if not coarse or step is None:
            return step
        if step != self.rounded:
            self.rounded, self.counted, self.names = step, 0, names
        elif self.names & names:
            self.counted, self.names = min(self.counted + 1, coarse - 1), names
        else:
            self.names |= names  # of the same step: another quantity
        return step + self.counted

    def _loose(self, line: str, values: dict[str, float]) -> Record | None:
        """A line that names no place: taken when it is little more than names and numbers."""
        sure = [n for n in values if SURE.search(n) and not _SETTING.search(n)]
        if self.epoch:  # in the list below the heading of an epoch
            sure += [n for n in values if _LR.fullmatch(n)]
        if not sure or (len(line) > LONGEST_LOOSE and len(values) < MANY_VALUES):
            return None
        if any(len(name.split()) > MOST_LOOSE_WORDS for name in sure):
            return None
        of_file = _FILE.match(line)
        if of_file and all(is_held_out(name.replace("_", " ")) for name in values):
            step = int(of_file.group(1))
            return Record(values, step, is_of_checkpoint=True, is_bare=True)
        text = _LOGGER.sub("", line, count=1)
        letters = _LETTERS.findall(_NOT_FINITE.sub("", text))
        rest = len(letters) - sum(len(_LETTERS.findall(n)) for n in values)
        if rest > MOST_OTHER_LETTERS * len(text):
            return None
        of_checkpoint = _CHECKPOINT.match(text)
        if of_checkpoint and all(is_held_out(name.replace("_", " ")) for name in values):
            return Record(values, int(of_checkpoint.group(1)), is_of_checkpoint=True)
        return Record(values, None, self.epoch, is_loose=True)


def epoch_headed(line: str) -> int | None:
    """Return the epoch of a line that is no more than its number."""
    heading = _HEADING.fullmatch(line)
    return int(heading["epoch"]) if heading else None


def _without_stamp(line: str) -> str:
    stamp = _STAMP.match(line) or _GLOG.match(line)
    return line[stamp.end() :] if stamp else line


@lru_cache(maxsize=CACHED_NAMES)
def _are_quantities(names: tuple[str, ...]) -> bool:
    """Whether the names are those of a record of training."""
    return any(map(PLACED.search, names))


def _values(line: str, place: Position | None) -> dict[str, float]:
    start = 0 if place is None or not is_bracketed(line, place) else place.end
    values = pairs(f" {line[start:]}")
    for name in _counters_among(tuple(values)):
        del values[name]
    return values


@lru_cache(maxsize=CACHED_NAMES)
def _counters_among(names: tuple[str, ...]) -> tuple[str, ...]:
    found = ((name, _COUNTED.sub("", name.lower().removeprefix("val_"))) for name in names)
    return tuple(
        name
        for name, low in found
        if low in _COUNTERS or low.endswith((" step", " epoch", " batch", " iter", " iteration"))
    )


def _held_out(line: str, values: dict[str, float]) -> dict[str, float]:
    """Give all names the prefix when the words before the first one speak of held-out data.

    They may be a part of that name, `val_loss 0.5 acc 0.9`: then the others go with it, unless one
    of them is the same quantity of the training, `val_loss 0.5 loss 0.4`.
    """
    first = next(iter(values)).removeprefix("val_")
    if not is_held_out(line[: line.find(first)][-LONGEST_PREFIX:]):
        return values
    renamed = {name: named(VAL, name) for name in values}
    if len(set(renamed.values())) < len(values) or any(map(is_training, values)):
        return values
    return {renamed[name]: value for name, value in values.items()}


def is_bracketed(line: str, place: Position) -> bool:
    """Return whether the words about the place end before any value."""
    front = line[: place.end]
    return place.end > 0 and "=" not in front and not BARE.search(front)


def _claims(line: str) -> bool:
    return _DIGIT.search(line) is not None or section_in(message(line)) != ""


PROFILE: Final = LineProfile("generic", 900, _claims, _Parser)
