"""Text as HTML in both languages at once; what comes from a log stays text.

The page shows one of the two by a style rule, so the switch needs no second report and no script
has to put text together.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

from markupsafe import Markup, escape

from spikedoc.cleaning import one_line
from spikedoc.renderers._strings import Words
from spikedoc.renderers._wording import without_user_paths
from spikedoc.text import FieldValue, Language, Text

LANG_ATTRIBUTE: Final = {Language.EN: "en", Language.ZH: "zh-Hans"}
ALL_WORDS: Final = tuple(Words(language) for language in Language)

# Signs that make a code span something to type, not just a name.
COMMAND_SIGNS: Final = frozenset(" (=")


class Wording:
    """The texts of one run as markup in both languages."""

    def __init__(self, run_path: str) -> None:
        """Texts are shown without the folders above `run_path`."""
        self.run_path = run_path

    def words(self, key: str, **values: FieldValue) -> Markup:
        """Return a fixed text of `strings.toml`."""
        return self.both(lambda words: words(key, **values))

    def text(self, text: Text) -> Markup:
        """Return a text of the report; parts between backticks become code."""
        return self._pair({w.language: self._sentence(w.of(text), copy=False) for w in ALL_WORDS})

    def advice(self, text: Text) -> Markup:
        """Return a text of the report in which what can be typed can also be copied."""
        return self._pair({w.language: self._sentence(w.of(text), copy=True) for w in ALL_WORDS})

    def plain(self, text: Text) -> Markup:
        """Return a text that is shown sign by sign as it is."""
        return self.both(lambda words: words.of(text))

    def both(self, make: Callable[[Words], str]) -> Markup:
        """Return what `make` says in each language, as plain text."""
        return self._pair({words.language: escape(make(words)) for words in ALL_WORDS})

    @staticmethod
    def _pair(said: dict[Language, Markup]) -> Markup:
        if len(set(said.values())) == 1:
            return said[Language.EN]
        return Markup("").join(
            Markup('<span class="{}" lang="{}">{}</span>').format(
                language.value, LANG_ATTRIBUTE[language], shown
            )
            for language, shown in said.items()
        )

    def _sentence(self, text: str, *, copy: bool) -> Markup:
        shown = one_line(without_user_paths(text, self.run_path))
        return Markup("").join(self._parts(shown, copy=copy))

    def _parts(self, shown: str, *, copy: bool) -> Iterator[Markup]:
        parts = shown.split("`")
        if len(parts) % 2 == 0:  # an odd number of backticks pairs with nothing
            yield escape(shown)
            return
        for place, part in enumerate(parts):
            if place % 2 == 0:
                yield escape(part)
            elif copy and COMMAND_SIGNS & set(part.strip()):
                yield Markup('<span class="command"><code>{}</code>{}</span>').format(
                    part, self._copy_button()
                )
            else:
                yield Markup("<code>{}</code>").format(part)

    def _copy_button(self) -> Markup:
        return Markup('<button type="button" class="copy">{}</button>').format(
            self.words("page.copy")
        )
