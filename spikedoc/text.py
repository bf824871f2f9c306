"""Text in the two languages of spikedoc, side by side."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

FieldValue = float | int | str

# Whole numbers below this are written out, larger ones in powers of ten.
WHOLE_BELOW: Final = 1e7

# English has a word for one of a thing and another for any other number of it.
FORMS_OF_NUMBER: Final = 2


class Language(StrEnum):
    """Languages a report can be rendered in."""

    EN = "en"
    ZH = "zh"


@dataclass(frozen=True, slots=True)
class Text:
    """One statement in English and in Simplified Chinese."""

    en: str
    zh: str

    def get(self, language: Language) -> str:
        """Return the wording in `language`."""
        return self.zh if language is Language.ZH else self.en

    def fill(self, values: Values) -> Text:
        """Return the text with `{name}` replaced by `values["name"]`, numbers at readable length.

        `{name|point|points}` becomes the first word when the value is 1, else the second. Only
        plain names are replaced: values come from logs, so neither `str.format` nor attribute
        access is used. A name without a value stays as it is. A value that is a text itself goes
        in by its language.
        """
        return Text(
            _fill(self.en, _in(values, Language.EN)), _fill(self.zh, _in(values, Language.ZH))
        )


def _in(values: Values, language: Language) -> Mapping[str, FieldValue]:
    return {
        name: value.get(language) if isinstance(value, Text) else value
        for name, value in values.items()
    }


def _fill(template: str, values: Mapping[str, FieldValue]) -> str:
    parts = template.split("{")
    out = [parts[0]]
    for part in parts[1:]:
        field, closed, rest = part.partition("}")
        name, *forms = field.split("|")
        if closed and name in values and len(forms) in (0, FORMS_OF_NUMBER):
            value = values[name]
            out.append((forms[value != 1] if forms else format_value(value)) + rest)
        else:
            out.append("{" + part)
    return "".join(out)


def listed(items: Iterable[str], most: int | None = None) -> Text:
    """Return names side by side with the marks of each language; the first `most`, and "…".

    Names come from logs: they stand as they are in both languages.
    """
    names = list(items)
    shown = names[:most]
    more = " …" if len(shown) < len(names) else ""
    return Text(", ".join(shown) + more, "、".join(shown) + more)


def format_value(value: FieldValue) -> str:
    """Return a number the way an engineer writes it: four significant digits, no trailing zeros."""
    if isinstance(value, str):
        return value
    if isinstance(value, int):
        return str(value)
    if not math.isfinite(value):
        return {"nan": "NaN", "inf": "inf", "-inf": "-inf"}[str(float(value))]
    if value == int(value) and abs(value) < WHOLE_BELOW:
        return str(int(value))
    short = f"{value:.4g}"
    # 22300, not 2.23e+04: powers of ten begin where those of whole numbers do.
    return str(int(float(short))) if "e+" in short and abs(float(short)) < WHOLE_BELOW else short


def rounded(value: float, digits: int) -> float:
    """Return a number to `digits` significant ones; a finite one stays finite."""
    short = float(f"{value:.{digits}g}")
    # The largest numbers would be rounded up to infinity.
    return short if math.isfinite(short) else value


# What goes into the places of a text, by name.
Values = Mapping[str, FieldValue | Text]
