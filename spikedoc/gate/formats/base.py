"""What an output of the gate is: a function from verdicts to text."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from spikedoc.gate.verdict import Verdict
from spikedoc.text import Language


@dataclass(frozen=True, slots=True)
class Options:
    """What the user asked for; only the text for people has a width and colours."""

    language: Language
    verbose: bool = False
    width: int | None = None  # columns; None: a line per thing, however long
    color: bool = False
    unicode: bool = True  # False: ASCII only


Format = Callable[[Sequence[Verdict], Options], str]
