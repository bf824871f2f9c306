"""Which language the user reads, from the environment alone.

The locale module is of no use here: in a container that has only the C locale it does not know
`zh_CN.UTF-8`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from spikedoc.text import Language

OWN_VARIABLE: Final = "SPIKEDOC_LANG"

# A list of languages, best first, as gettext reads it.
LIST_VARIABLE: Final = "LANGUAGE"

# The first of these that is set decides.
LOCALE_VARIABLES: Final = ("LC_ALL", "LC_MESSAGES", "LANG")


def detect_language(environment: Mapping[str, str]) -> Language:
    """Return the language of messages; English when nothing says Chinese."""
    for variable in (OWN_VARIABLE, LIST_VARIABLE):
        for entry in environment.get(variable, "").split(":"):
            language = _language(entry)
            if language is not None:
                return language
    locale = next((environment[v] for v in LOCALE_VARIABLES if environment.get(v)), "")
    return _language(locale) or Language.EN


def _language(locale: str) -> Language | None:
    """Return the language of a name such as `zh_CN.UTF-8` or `zh-Hans`, None for another one."""
    primary = locale.strip().lower().replace("-", "_").partition(".")[0].partition("_")[0]
    return next((language for language in Language if language.value == primary), None)
