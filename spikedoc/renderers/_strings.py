"""The fixed words of a report in both languages, from `strings.toml`."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources

from spikedoc.text import FieldValue, Language, Text


@cache
def table() -> Mapping[str, Text]:
    """Return `section.key` → text for every entry of `strings.toml`."""
    source = resources.files("spikedoc.renderers").joinpath("strings.toml")
    sections = tomllib.loads(source.read_text(encoding="utf-8"))
    return {
        f"{section}.{key}": Text(entry["en"], entry["zh"])
        for section, entries in sections.items()
        for key, entry in entries.items()
    }


@dataclass(frozen=True, slots=True)
class Words:
    """The fixed words in one language."""

    language: Language

    def __call__(self, key: str, **values: FieldValue) -> str:
        """Return the entry with its blanks filled; the `_one` form when `n` is 1.

        Raises KeyError for a key that `strings.toml` does not hold.
        """
        if values.get("n") == 1 and f"{key}_one" in table():
            key = f"{key}_one"
        return table()[key].fill(values).get(self.language)

    def of(self, text: Text) -> str:
        """Return `text` in this language."""
        return text.get(self.language)
