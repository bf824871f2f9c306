"""A dict over several lines, as `pprint` puts a long one: `{'loss': 0.5,` and ` 'step': 100}`."""

from __future__ import annotations

import re
from typing import Final

from spikedoc.readers.lines import hf
from spikedoc.readers.lines.base import NOTHING, LineProfile, Record

_KEY: Final = r"(['\"])[A-Za-z_][^'\"{}]{0,100}\1\s{0,9}:\s{0,9}"
_REST: Final = r"[^{}]{1,400}"
_HEAD: Final = re.compile(rf"\{{\s{{0,9}}{_KEY}{_REST},")
_BELOW: Final = re.compile(rf"{_KEY}{_REST}(?:,|\}}\W{{0,9}})")
# A record of training has no more lines; what goes on for longer is something else.
MOST_LINES: Final = 200


class _Parser:
    """Holds the lines of an open dict back until it is closed."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    def take(self, line: str) -> Record | None:
        if not self.lines:
            if not _HEAD.fullmatch(line):
                return None
            self.lines.append(line)
            return NOTHING
        if len(self.lines) >= MOST_LINES or not _BELOW.fullmatch(line):
            self.lines = []
            return None
        self.lines.append(line)
        if "}" not in line:
            return NOTHING
        text, self.lines = " ".join(self.lines), []
        return hf.PROFILE.start().take(text) or NOTHING

    def end(self) -> Record | None:
        self.lines = []
        return None


def _claims(line: str) -> bool:
    return "'" in line or '"' in line


PROFILE: Final = LineProfile("dict_block", 198, _claims, _Parser, framework="hf")
