"""Printed lines of evaluations: those of the batches of one, and those of earlier checkpoints."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final

from spikedoc.readers.lines._pairs import is_held_out
from spikedoc.readers.lines._sections import named_by
from spikedoc.readers.lines.base import LineProfile, Record
from spikedoc.text import Text

# Layouts that are known say themselves what their lines of held-out data are.
_HOME_MADE: Final = "generic"
AVERAGED: Final = Text(
    "the lines of the batches of one evaluation were averaged", "同一次评估各批次的记录已取均值"
)
# "Evaluating checkpoint-500", "Loading step_500.pt": what is printed next is of that step. Numbers
# with other words may be those of epochs; that of a file is a step where the training names steps
# alone, and an epoch where it names epochs.
_NAMED: Final = re.compile(
    r"(?:checkpoint-|(?:global_?)?step[-_ =]{0,2})(\d{1,12})(?![\w]|\.\d)", re.I
)
_OF_FILE: Final = re.compile(
    r"(?:model|net|weights|state|ckpt|checkpoint|iter|snapshot|epoch|ep)[-_ =]{0,2}(\d{1,12})"
    r"\.(?:pth?|ckpt|bin|safetensors|h5|keras|tar|npz|pkl|params|msgpack)\b",
    re.IGNORECASE,
)
_OPENS: Final = re.compile(r"\b(?:re)?(?:load|eval|test|validat|restor)", re.I)


def checkpoint_in(line: str) -> int | None:
    """Return the step of the checkpoint that a line says is evaluated from now on."""
    named = _named(line)
    return int(named.group(1)) if named else None


def _named(line: str) -> re.Match[str] | None:
    if not any(part in line for part in ("heckpoint", "tep", ".")) or not _OPENS.search(line):
        return None
    return _NAMED.search(line) or _OF_FILE.search(line)


class Passes:
    """Records of one writer; those of held-out batches are held back until their pass is over.

    Such lines follow each other with the same names, in one epoch, and count from the start again
    while the training has got further; or they all name the step that the training has reached.
    """

    def __init__(self) -> None:
        """Start with none."""
        self._held: list[Record] = []
        self._reached: int | None = None  # by the training
        self._by_step = False  # which is how the training counts
        self._has_trained = False
        self._epoch: int | None = None  # reached by the training
        self._named: int | None = None  # the step of a checkpoint that was opened behind it
        self._is_epoch = False  # that is what the checkpoint has in place of a step

    def given(self, record: Record, profile: LineProfile) -> list[Record]:
        """Return the records that are complete now that this one has come."""
        if not record.values:
            return [record]
        record = self._named_anew(record)
        if record.is_of_checkpoint:
            return [*self.rest(), record]
        if self.is_of_checkpoint(record):
            return [*self.rest(), replace(record, **self._at_named(), is_loose=False)]
        if may_be_of_pass(record, profile):
            if self._held and _follows(self._held[-1], record):
                self._held.append(record)
                return []
            over = self.rest()
            self._held = [record]
            return over
        over = self.rest()
        if not _is_held_out(record):
            self.see(_place(record), record.epoch, by_step=_is_by_step(record))
        return [*over, record]

    def _named_anew(self, record: Record) -> Record:
        """The record by what has come before: of a section, of a checkpoint or of neither."""
        if record.section and self._has_trained:
            record = replace(record, values=named_by(record.section, record.values))
        if not record.is_of_checkpoint or not record.is_bare or self._may_be_step(record.step):
            return record
        if self._may_be_epoch(record.step):
            return replace(record, step=None, epoch=str(record.step), is_bare=False)
        return replace(record, step=None, is_of_checkpoint=False, is_loose=True)

    def see(self, place: int | None, epoch: str, *, by_step: bool) -> None:
        """Remember where the training stands, and whether it counts steps alone."""
        self._reached, self._named, self._by_step = place, None, by_step
        self._epoch = int(epoch) if epoch.isdecimal() else None
        self._has_trained = True

    def open(self, line: str) -> None:
        """Look whether a line without a record names an earlier checkpoint."""
        match = _named(line)
        if match is None:
            return
        named, is_file = int(match.group(1)), match.re is _OF_FILE
        may_be_step = self._reached is not None and named <= self._reached
        is_step = may_be_step and (self._by_step or not is_file)
        self._is_epoch = not is_step and is_file and self._may_be_epoch(named)
        self._named = named if is_step or self._is_epoch else None

    def _at_named(self) -> dict[str, Any]:
        """Where the checkpoint stands that was opened."""
        return {"epoch": str(self._named)} if self._is_epoch else {"step": self._named}

    def is_of_checkpoint(self, record: Record) -> bool:
        """Return whether a record is of a checkpoint that was opened, by what it names."""
        if self._named is None or not _is_held_out(record):
            return False
        is_placed = record.epoch != "" or record.batch is not None
        return not is_placed and record.step in (None, self._named)

    def _may_be_epoch(self, number: int | None) -> bool:
        """Whether the number of a file may be an epoch that the training has passed."""
        return None not in (number, self._epoch) and (number or 0) <= (self._epoch or 0)

    def _may_be_step(self, number: int | None) -> bool:
        """Whether the number of a file may be a step that the training has passed."""
        reached = self._reached
        return self._by_step and None not in (number, reached) and (number or 0) <= (reached or 0)

    def rest(self) -> list[Record]:
        """Return what is held back, and hold it no longer."""
        held, self._held = self._held, []
        return [_mean(held)] if self._are_batches(held) else held

    def _are_batches(self, held: Sequence[Record]) -> bool:
        if len(held) < 2 or self._reached is None:
            return False
        first = _place(held[0]) or 0
        return first == _place(held[-1]) or first < self._reached


def may_be_of_pass(record: Record, profile: LineProfile) -> bool:
    """Return whether a record may be that of a batch of held-out data."""
    if profile.name != _HOME_MADE or record.is_of_checkpoint:
        return False
    return _place(record) is not None and _is_held_out(record)


def _is_held_out(record: Record) -> bool:
    return all(is_held_out(name.replace("_", " ").replace("/", " ")) for name in record.values)


def _is_by_step(record: Record) -> bool:
    return record.step is not None and record.epoch == "" and record.batch is None


def _place(record: Record) -> int | None:
    return record.batch if record.batch is not None else record.step


def _follows(before: Record, now: Record) -> bool:
    first, second = _place(before), _place(now)
    if first is None or second is None or before.epoch != now.epoch:
        return False
    return first <= second and before.values.keys() == now.values.keys()


def _mean(held: Sequence[Record]) -> Record:
    """The mean, at the step that all of them name, else where the training stands."""
    values = {
        name: sum(record.values[name] for record in held) / len(held) for name in held[0].values
    }
    first = held[0]
    step = first.step if all(record.step == first.step for record in held) else None
    notes = (*first.notes, AVERAGED)
    return replace(first, values=values, step=step, batch=None, batches=None, notes=notes)
