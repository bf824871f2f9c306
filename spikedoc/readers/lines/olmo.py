"""OLMo and OLMo-core: `[step=10/100,epoch=0]`, then one `name=value` a line."""

from __future__ import annotations

import re
from typing import Final

from spikedoc.readers._numbers import number
from spikedoc.readers.lines.base import LineProfile, Record, Remembering

_HEAD: Final = re.compile(
    r"\[(?:eval_)?step=([\d,]{1,15})(?:/([\d,]{1,15}))?(?:,epoch=[\d/]{1,20})?[^\]]{0,80}\]"
)
_FIELD: Final = re.compile(r"\s{0,12}([A-Za-z]\w{0,30}/[^=]{1,90})=([^\s=]{1,40})")


class _Parser(Remembering):
    def __init__(self) -> None:
        self.step: int | None = None

    def take(self, line: str) -> Record | None:
        head = _HEAD.search(line)
        if head:
            self.step = int(head.group(1).replace(",", "") or 0)
            return Record(step=self.step)
        field = _FIELD.fullmatch(line) if self.step is not None else None
        value = number(field.group(2)) if field else None
        if field is None or value is None:
            self.step = None  # something else was printed: the block is over
            return None
        return Record({field.group(1): value}, self.step)


def _claims(line: str) -> bool:
    return "=" in line


PROFILE: Final = LineProfile("olmo", 140, _claims, _Parser)
