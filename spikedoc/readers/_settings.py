"""Settings that a tracker keeps as text."""

from __future__ import annotations

from spikedoc.model.run import ConfigValue
from spikedoc.readers._numbers import LONGEST_NUMBER

_FLAGS = {"true": True, "false": False}


def setting(text: str) -> ConfigValue:
    """Return the whole number, number or flag that `text` spells, else the text."""
    word = text.strip()
    if word.lower() in _FLAGS:
        return _FLAGS[word.lower()]
    if len(word) > LONGEST_NUMBER:
        return text
    for convert in (int, float):
        try:
            return convert(word)
        except ValueError:
            continue
    return text
