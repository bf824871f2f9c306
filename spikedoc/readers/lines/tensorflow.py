"""TensorFlow 1: `global step 10: loss = 1.2 (0.5 sec/step)`, `loss = 0.1, step = 100`."""

from __future__ import annotations

import re
from typing import Final

from spikedoc.readers.lines._pairs import NUMBER, pairs, value
from spikedoc.readers.lines.base import NOTHING, LineProfile, Record

_SLIM: Final = re.compile(rf"global step (\d{{1,15}}): loss = ({NUMBER}) \(({NUMBER}) sec", re.I)
_ESTIMATOR: Final = re.compile(rf"\bloss = ({NUMBER}), step = (\d{{1,15}})", re.IGNORECASE)
_EVAL: Final = re.compile(r"Saving dict for global step (\d{1,15}): (.{3,4000})")
_OD: Final = re.compile(r"Step (\d{1,15}) per-step time (\S{1,20}?)s(?: loss=(\S{1,30}))?\s*$")
# What ends a training whose loss is not finite: it speaks of the step that was being computed.
_STOPPED: Final = ("LossTensor is inf or nan", "Model diverged with loss = NaN")
_MARKS: Final = (
    "loss = ", "'Loss/", "Saving dict", "per-step time", "'learning_rate'", _STOPPED[0],
)  # fmt: skip
_ITEM: Final = re.compile(
    rf"[{{ ]{{0,2}}'(Loss/[\w/]{{1,60}}|learning_rate)': ({NUMBER})[,}}]?", re.IGNORECASE
)


class _Parser:
    """The Object Detection API prints the terms of the loss as a dict over several lines."""

    def __init__(self) -> None:
        self.step: int | None = None
        self.terms: dict[str, float] = {}
        self.is_stopped = False

    def take(self, line: str) -> Record | None:
        if any(words in line for words in _STOPPED):
            return self._stop()
        item = _ITEM.fullmatch(line)
        number = value(item.group(2)) if item else None
        if item and number is not None:
            self.terms[item.group(1)] = number
            return self.end() if line.endswith("}") else NOTHING
        match = _SLIM.search(line)
        if match:
            return self._record(
                match.group(1), {"loss": match.group(2), "step_time": match.group(3)}
            )
        match = _OD.search(line)
        if match:
            return self._record(
                match.group(1), {"step_time": match.group(2), "loss": match.group(3) or ""}
            )
        match = _ESTIMATOR.search(line)
        if match:
            return self._record(match.group(2), {"loss": match.group(1)})
        match = _EVAL.search(line)
        if match is None:
            return None
        values = {f"eval/{n}": v for n, v in pairs(match.group(2)).items() if n != "global_step"}
        return Record(values, int(match.group(1)))

    def end(self) -> Record | None:
        terms, self.terms = self.terms, {}
        if not any(name.startswith("Loss/") for name in terms):
            return None
        return Record(terms, self.step, is_loose=self.step is None)

    def _stop(self) -> Record:
        """Return the loss that was not finite: once, since a traceback says it again and again."""
        if self.is_stopped:
            return NOTHING
        self.is_stopped = True
        step = None if self.step is None else self.step + 1
        return Record({"loss": float("nan")}, step, is_loose=step is None, is_event=True)

    def _record(self, step: str, tokens: dict[str, str]) -> Record:
        self.step = int(step)
        found = {name: value(token) for name, token in tokens.items()}
        return Record({n: v for n, v in found.items() if v is not None}, self.step)


def _claims(line: str) -> bool:
    return any(mark in line for mark in _MARKS)


PROFILE: Final = LineProfile("tensorflow", 190, _claims, _Parser)
