"""Settings that a tracker keeps as text."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Final

from spikedoc.model.run import ConfigValue
from spikedoc.readers._json_rows import flatten
from spikedoc.readers._numbers import LONGEST_NUMBER

# A list this short is a setting, such as the two betas of Adam; longer ones are data.
LONGEST_LIST: Final = 4
_FLAGS: Final = {"true": True, "false": False}


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


def scalars(settings: Mapping[str, object]) -> dict[str, ConfigValue]:
    """Return the scalars, nested ones with their keys joined; short lists of numbers as text."""
    lists = {
        name: json.dumps(value)
        for name, value in settings.items()
        if isinstance(value, list)
        and 0 < len(value) <= LONGEST_LIST
        and all(map(_is_number, value))
    }
    found = {
        name: value
        for name, value in flatten(settings).items()
        if isinstance(value, str | int | float | bool)
    }
    return {**found, **lists}


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
