"""What the commands of one call share: exit codes, and what its options say of the whole call."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import Final

from spikedoc.language import detect_language
from spikedoc.text import Language

EXIT_FINE: Final = 0
EXIT_FOUND: Final = 1
EXIT_BAD_INPUT: Final = 2
EXIT_CRASHED: Final = 3


@dataclass
class Session:
    """State of one call of the program."""

    traceback: bool = False
    language: Language = field(default_factory=lambda: detect_language(os.environ))
