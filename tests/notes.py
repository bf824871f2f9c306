"""Notes in one language, so that a test can say what it expects of them."""

from __future__ import annotations

from collections.abc import Iterable

from spikedoc.text import Text


def english(notes: Iterable[Text]) -> tuple[str, ...]:
    """Return the notes in English, having seen that each is there in Chinese as well."""
    told = list(notes)
    for note in told:
        assert any("\u4e00" <= sign <= "\u9fff" for sign in note.zh), note
    return tuple(note.en for note in told)
