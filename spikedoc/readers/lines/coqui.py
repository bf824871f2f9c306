"""Coqui TTS: `--> STEP: 24/36 -- GLOBAL_STEP: 50`, then `| > loss: 2.9 (3.1)` a line."""

from __future__ import annotations

import re
from typing import Final

from spikedoc.readers.lines._pairs import NUMBER, value
from spikedoc.readers.lines.base import LineProfile, Record, Remembering

_STEP: Final = re.compile(r"(?:GLOBAL_STEP: (\d{1,15})|^step: (\d{1,15})$)")
_EVAL: Final = ("EVALUATION", "EVAL PERFORMANCE")
_FIELD: Final = re.compile(
    rf"\s{{0,8}}(?:\|\s{{0,8}})?>\s?([A-Za-z]\w{{0,60}}):\s{{0,8}}({NUMBER})(?:\s{{0,4}}\(([^)]{{1,30}})\))?.{{0,20}}",
    re.IGNORECASE,
)


class _Parser(Remembering):
    """Values of the step; the running means in brackets only where there is nothing else."""

    def __init__(self) -> None:
        self.step: int | None = None
        self.section = ""  # "", "train", "eval"

    def take(self, line: str) -> Record | None:
        head = _STEP.search(line)
        if head:
            self.step, self.section = int(head.group(1) or head.group(2)), "train"
            # others print `step: 3` alone on a line as well
            return Record(step=self.step) if head.group(1) else None
        if any(word in line for word in _EVAL):
            self.section = "mean" if _EVAL[1] in line else "eval"
            return Record()
        if (
            "TRAINING" in line
            or "EPOCH:" in line
            or ("--> STEP:" in line and self.section == "train")
        ):
            self.section = ""
            return Record()
        match = _FIELD.fullmatch(line) if self.section in ("train", "mean") else None
        number = value(match.group(2)) if match else None
        if match is None or number is None:
            return None
        prefix = "eval_" if self.section == "mean" else ""
        return Record({f"{prefix}{match.group(1)}": number}, self.step)


def _claims(line: str) -> bool:
    return ">" in line or line.startswith("step: ")


PROFILE: Final = LineProfile("coqui", 440, _claims, _Parser)
