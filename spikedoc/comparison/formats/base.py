"""What an output of a comparison is: a function from the comparison to text."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from spikedoc.comparison.result import Comparison
from spikedoc.text import Language


@dataclass(frozen=True, slots=True)
class Options:
    """How it is to look; a format ignores what does not concern it."""

    language: Language = Language.EN
    width: int = 100
    color: bool = False
    unicode: bool = True  # False: ASCII only


Format = Callable[[Comparison, Options], str]
