"""Headings of parts of a record: `Train` and `Validation`, each with quantities in lines below."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from spikedoc.readers.lines._pairs import is_held_out, is_training

# A line that is no more than such a heading is short.
LONGEST: Final = 60
_HEADING: Final = re.compile(
    r"[^\w(]{0,20}(?P<word>train(?:ing)?|in[ -]?sample|val(?:id(?:at(?:ion|ing))?)?"
    r"|eval(?:uat(?:ion|ing))?|dev(?:elopment)?|test(?:ing)?|h(?:e|o)ld[ -]?out"
    r"|out[ -]?of[ -]?sample)"
    r"(?:[ _-]?(?:set|split|data|results?|metrics?|phase|loop|stats?|statistics|losses|summary))?"
    r"(?:\s{0,2}\([^()]{0,30}\))?[^\w(]{0,30}",
    re.IGNORECASE,
)
# What only training has, whatever stands above it.
_OF_TRAINING: Final = re.compile(r"lr|learning[ _-]?rate|grad(?:ient)?[ _-]?norm", re.IGNORECASE)
TRAIN: Final = "train"
VAL: Final = "val"
TEST: Final = "test"


def section_in(line: str) -> str:
    """Return what the lines below this one are of, `train`, `val` or `test`; else nothing."""
    heading = _HEADING.fullmatch(line) if len(line) <= LONGEST else None
    if heading is None:
        return ""
    word = heading["word"].lower()
    return TRAIN if word.startswith((TRAIN, "in")) else TEST if word.startswith(TEST) else VAL


def named_by(section: str, values: Mapping[str, float]) -> dict[str, float]:
    """Return the values under names that say so where the section is of held-out data."""
    if section in ("", TRAIN):
        return dict(values)
    return {named(section, name): value for name, value in values.items()}


def named(section: str, name: str) -> str:
    """Return the name with the section before it, as it is where it says itself what it is of."""
    words = name.replace("_", " ").replace("/", " ")
    is_told = is_held_out(words) or is_training(words) or _OF_TRAINING.fullmatch(name)
    return name if is_told else f"{section}_{name}"
