"""A TOML table that checks what is asked of it and says file and key when something is wrong."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final, NoReturn, TypeVar, cast

from spikedoc.errors import CatalogError
from spikedoc.rules import mistakes
from spikedoc.text import Text, Values, listed

# Ids of the JSON report: lower-case words and numbers joined by hyphens.
ID: Final = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
# Chinese and full-width marks next to which a joined line needs no space.
WIDE_MARK: Final = re.compile(r"[\u2018-\u201d\u2026\u3000-\u303f\uff00-\uffef]")
ASCII_LIMIT: Final = 128

E = TypeVar("E", bound=StrEnum)


@dataclass(frozen=True, slots=True)
class Table:
    """One table of a file; `key` is its dotted place, empty for the file itself."""

    source: str
    content: Mapping[str, object]
    key: str = ""

    def path(self, key: str) -> str:
        """Return the dotted place of `key`."""
        return f"{self.key}.{key}" if self.key and key else self.key or key

    def fail(self, key: str, reason: Text) -> NoReturn:
        """Raise CatalogError for `key` of this table."""
        raise CatalogError(self.source, self.path(key), reason)

    def expect(self, required: Collection[str], optional: Collection[str] = ()) -> None:
        """Raise CatalogError when a required key is missing or an unknown one is there."""
        for key in required:
            if key not in self.content:
                self.fail(key, mistakes.MISSING)
        for key in self.content:
            if key not in required and key not in optional:
                known = listed(sorted((*required, *optional)))
                self.fail(key, mistakes.UNKNOWN_KEY.fill({"known": known}))

    def flag(self, key: str) -> bool:
        """Return a boolean, False when the key is not there."""
        value = self.content.get(key, False)
        if not isinstance(value, bool):
            self.fail(key, mistakes.A_BOOLEAN)
        return value

    def string(self, key: str, default: str | None = None) -> str:
        """Return a string."""
        value = self.content.get(key, default)
        if not isinstance(value, str):
            self.fail(key, mistakes.A_STRING.fill({"found": _kind(value)}))
        return value

    def identifier(self, key: str) -> str:
        """Return a string that is a valid id."""
        value = self.string(key)
        self.check_id(key, value)
        return value

    def check_id(self, key: str, value: str) -> None:
        """Raise CatalogError unless `value` is lower-case words joined by hyphens."""
        if not ID.fullmatch(value):
            self.fail(key, mistakes.AN_ID.fill({"value": repr(value)}))

    def choice(self, key: str, choices: type[E]) -> E:
        """Return the member of `choices` with this value."""
        value = self.string(key)
        try:
            return choices(value)
        except ValueError:
            values: Values = {"value": repr(value), "known": listed(choices)}
            self.fail(key, mistakes.NONE_OF.fill(values))

    def strings(self, key: str) -> tuple[str, ...]:
        """Return a list of different strings; empty when the key is absent."""
        value = self.content.get(key, [])
        if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
            self.fail(key, mistakes.STRINGS)
        words = cast("list[str]", value)
        if len(set(words)) != len(words):
            self.fail(key, mistakes.SAME_TWICE)
        return tuple(words)

    def integer(self, key: str, low: int, high: int) -> int:
        """Return a whole number between `low` and `high`, both included."""
        value = self.content.get(key)
        if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
            self.fail(key, mistakes.WHOLE.fill({"low": low, "high": high}))
        return value

    def table(self, key: str) -> Table:
        """Return the table under `key`; an absent one is empty."""
        value = self.content.get(key, {})
        if not isinstance(value, dict):
            self.fail(key, mistakes.A_TABLE.fill({"found": _kind(value)}))
        return Table(self.source, value, self.path(key))

    def tables(self, key: str) -> tuple[Table, ...]:
        """Return the array of tables under `key`; an absent one is empty."""
        value = self.content.get(key, [])
        if not isinstance(value, list) or not all(isinstance(item, dict) for item in value):
            self.fail(key, mistakes.TABLES.fill({"key": f"[[{key}]]"}))
        place = self.path(key)
        return tuple(Table(self.source, item, f"{place}[{i}]") for i, item in enumerate(value, 1))

    def text(self, key: str = "") -> Text:
        """Return the text in both languages, of the table under `key` or of this very table."""
        table = self.table(key) if key else self
        if key:
            table.expect(("en", "zh"))
        en, zh = joined(table.string("en")), joined(table.string("zh"))
        for language, words in (("en", en), ("zh", zh)):
            if not words:
                table.fail(language, mistakes.EMPTY)
        return Text(en, zh)


def joined(text: str) -> str:
    """Return a wrapped paragraph as one line.

    English lines are joined by a space; Chinese ones by nothing, but Chinese next to Latin letters,
    digits or code is set apart by a space, as it is within a line.
    """
    if "\n" not in text:
        return text.strip()
    lines = [line.strip() for line in text.split("\n")]
    result = ""
    for line in lines:
        if result and line:
            result += _glue(result[-1], line[0])
        result += line
    return result


def _glue(before: str, after: str) -> str:
    if WIDE_MARK.match(before) or WIDE_MARK.match(after):
        return ""
    both_wide = ord(before) >= ASCII_LIMIT and ord(after) >= ASCII_LIMIT
    return "" if both_wide else " "


def _kind(value: object) -> str:
    return "missing" if value is None else type(value).__name__
