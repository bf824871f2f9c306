"""The sentences of `sentences.toml` by their keys."""

from __future__ import annotations

import tomllib
from functools import cache
from importlib import resources

from spikedoc.text import Text


def sentence(key: str) -> Text:
    """Return a sentence with its `{fields}` still open."""
    return _sentences()[key]


@cache
def _sentences() -> dict[str, Text]:
    file = resources.files("spikedoc.comparison") / "sentences.toml"
    entries = tomllib.loads(file.read_text(encoding="utf-8"))
    return {key: Text(entry["en"], entry["zh"]) for key, entry in entries.items()}
