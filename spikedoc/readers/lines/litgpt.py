"""LitGPT: `iter 10 step 2: loss 0.5, iter time: 300.1ms`, `iter 10 step 2 | loss train: …`."""

from __future__ import annotations

import re
from typing import Final

from spikedoc.readers._numbers import number
from spikedoc.readers.lines._pairs import NUMBER
from spikedoc.readers.lines.base import LineProfile, Record, Remembering
from spikedoc.text import Text

STEP_NOTE: Final = Text(
    "steps are LitGPT's iterations: several of them make one optimizer step",
    "步数为 LitGPT 的 iteration：若干个 iteration 构成一个优化器步",
)
_OLD: Final = re.compile(rf"iter (\d{{1,15}}) step \d{{1,15}}: loss ({NUMBER})", re.IGNORECASE)
_NEW: Final = re.compile(
    rf"iter (\d{{1,15}}) step \d{{1,15}} \| loss train: ({NUMBER})(?:,\s{{0,4}}val: (\S{{1,20}}))?",
    re.IGNORECASE,
)
_VAL: Final = re.compile(rf"(?:iter|step) (\d{{1,15}}): val loss ({NUMBER})", re.IGNORECASE)


class _Parser(Remembering):
    """Lines of training repeat the last validation loss until there is another one."""

    def __init__(self) -> None:
        self.repeated = ""

    def take(self, line: str) -> Record | None:
        match = _OLD.search(line) or _NEW.search(line)
        if match is None:
            return self._validation(line)
        values = {"loss": number(match.group(2))}
        shown = (match.group(3) or "") if match.re is _NEW else ""
        if shown and shown != self.repeated:
            self.repeated = shown
            values["val_loss"] = number(shown)
        known = {name: value for name, value in values.items() if value is not None}
        return Record(known, int(match.group(1)), notes=(STEP_NOTE,))

    def _validation(self, line: str) -> Record | None:
        match = _VAL.search(line)
        value = number(match.group(2)) if match else None
        if match is None or value is None:
            return None
        self.repeated = f"{value:.3f}"  # as the lines of training print it
        return Record({"val_loss": value}, int(match.group(1)))


def _claims(line: str) -> bool:
    return (" step " in line and "iter " in line) or ": val loss " in line


PROFILE: Final = LineProfile("litgpt", 295, _claims, _Parser)
