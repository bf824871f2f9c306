"""Columns that tell training from validation by numbers or truth values: `phase` 0 and 1."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Any, Final

import numpy as np

from spikedoc.text import Text

# is_train, training: true for rows of training; is_val, in_eval: true for held-out rows.
_OF_TRAINING: Final = re.compile(r"(is|in)?_?(?:train|training)", re.IGNORECASE)
# `valid` may say that a row is sound.
_HELD_OUT: Final = re.compile(r"(is|in)?_?(val|validation|eval|evaluation|test)", re.IGNORECASE)
# What the cells may be, by what they stand for; those of the first two are numbers as well.
_NO: Final = frozenset({"0", "0.0", "false"})
_YES: Final = frozenset({"1", "1.0", "true"})
_TRUTH: Final = frozenset({"true", "false"})
# A column of two numbers without a word for them is one of phases when it goes back and forth:
# as often as this, which a curriculum of two stages does not.
LEAST_TURNS: Final = 3
VAL: Final = "val"
NAMES_CACHED: Final = 1_024
CODED: Final = Text(
    "{column} holds 0 and 1: rows of 1 are taken for held-out data, 0 comes first",
    "{column} 只有 0 和 1：0 先出现，值为 1 的行视为留出集",
)


@lru_cache(NAMES_CACHED)
def tells_truth(name: str) -> bool:
    """Return whether a column of this name may say yes or no to training or to held-out data."""
    return any(kind.fullmatch(name.strip()) for kind in (_OF_TRAINING, _HELD_OUT))


def is_scalar(cell: object) -> bool:
    """Return whether a cell is text, a number or a truth value."""
    return isinstance(cell, str | int | float | np.generic)


def is_no_training(name: str, cell: object) -> bool:
    """Return whether a field of one record says that the record is not of training."""
    named = _OF_TRAINING.fullmatch(name) if tells_truth(name) and is_scalar(cell) else None
    return named is not None and _said(cell) in (_NO if named.group(1) else _NO & _TRUTH)


def held_out_code(name: str, cells: Sequence[Any], *, is_phase: bool) -> Mapping[Any, str]:
    """Return the word for held-out data of each cell that stands for it, by the column's name.

    Nothing when the cells are more than yes and no. `is_phase` is for columns called like one whose
    two numbers have no meaning by themselves.
    """
    said = {cell: text for cell in set(filter(is_scalar, cells)) if (text := _said(cell))}
    values = set(said.values())
    if not values & _NO or not values & _YES or not values <= _NO | _YES:
        return {}
    of_training, held_out = _OF_TRAINING.fullmatch(name), _HELD_OUT.fullmatch(name)
    named = of_training or held_out
    if named:
        # a column called `train` may hold an accuracy of 0 and 1
        if not named.group(1) and not values <= _TRUTH:
            return {}
        word = held_out.group(2).lower() if held_out else VAL
        return {cell: word for cell, text in said.items() if (text in _NO) == bool(of_training)}
    if not is_phase or values & _TRUTH or not _goes_back_and_forth(cells, said):
        return {}
    return {cell: VAL for cell, text in said.items() if text in _YES}


def _said(cell: object) -> str:
    """The cell in plain words; empty for none."""
    return "" if cell is None or cell != cell else str(cell).strip().lower()  # noqa: PLR0124


def _goes_back_and_forth(cells: Sequence[Any], said: Mapping[Any, str]) -> bool:
    """Whether the column starts with 0 and changes between its two numbers again and again."""
    order = [said[cell] in _YES for cell in cells if is_scalar(cell) and cell in said]
    turns = sum(before != after for before, after in pairwise(order))
    return not order[0] and turns >= LEAST_TURNS
