"""Logs of training and of held-out data in a file each: `train.csv` beside `valid.csv`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from spikedoc.ingest.read_file import EVENTS, STATE, Groups, ReadFile
from spikedoc.readers._phases import prefixed
from spikedoc.readers.base import Table
from spikedoc.text import Text

_WORD: Final = re.compile(
    r"(?<![a-z])(train|training|val|valid|validation|eval|evaluation|test|dev)(?![a-z])",
    re.IGNORECASE,
)
_TRAIN: Final = "train"

HELD_OUT: Final = Text(
    "{file} beside {train}: its series are those of held-out data",
    "{file} 与 {train} 并列：其中的序列视为留出集的序列",
)


def with_held_out_files(groups: Groups) -> Groups:
    """Return the logs by folder; those of held-out data have names of such.

    A file is one of these where another of its kind is called the same, but for `train` in place of
    `valid`, and logs a quantity of the same name.
    """
    return {folder: _told_apart(files) for folder, files in groups.items()}


def _told_apart(files: Sequence[ReadFile]) -> list[ReadFile]:
    training: dict[tuple[str, str], ReadFile] = {}
    for one in files:
        word, rest = _parted(one)
        if word.startswith(_TRAIN):
            training[rest, one.kind] = one
    found = []
    for one in files:
        word, rest = _parted(one)
        partner = None if not word or word.startswith(_TRAIN) else training.get((rest, one.kind))
        shares = partner is not None and bool(partner.tags & one.tags)
        found.append(_renamed(one, word, partner) if partner is not None and shares else one)
    return found


def _parted(one: ReadFile) -> tuple[str, str]:
    """The word for the phase in the name of a file, and the name with a gap in its place."""
    name = one.file.path.name
    match = _WORD.search(name.replace("_", " "))
    if match is None or one.kind in (EVENTS, STATE):
        return "", name
    return match.group(1).lower(), f"{name[: match.start()]}\0{name[match.end() :]}"


def _renamed(one: ReadFile, word: str, partner: ReadFile) -> ReadFile:
    table: Table = one.table
    series = tuple(replace(s, tag=prefixed(word, s.tag)) for s in table.series)
    told = HELD_OUT.fill({"file": one.file.path.name, "train": partner.file.path.name})
    return replace(one, table=replace(table, series=series, notes=(*table.notes, told)))
