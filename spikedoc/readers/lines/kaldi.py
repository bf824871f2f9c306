"""Kaldi: one log per iteration, `acc.12.1.log`, `train.12.1.log`; the step is in the commands."""

from __future__ import annotations

import re
from typing import Final

from spikedoc.readers._numbers import number
from spikedoc.readers.lines.base import LineProfile, Record, Remembering

_GMM: Final = re.compile(r"Overall avg like per frame.{0,40} = (\S{1,30}) over (\S{1,20}) frames")
_NNET: Final = re.compile(
    r"Overall (?:average )?(log-probability|objective function|log-prob|accuracy)(?: per frame)? "
    r"for '(\w{1,40})' is (\S{1,30})"
)
# The model a program reads or writes is numbered by the iteration.
_MODEL: Final = re.compile(r"(?:^|[\s/\"'|])(\d{1,6})\.(?:mdl|raw|acc)\b")
_ACC: Final = re.compile(r"/(\d{1,6})\.\d{1,6}\.acc\b")


class _Parser(Remembering):
    def __init__(self) -> None:
        self.step: int | None = None
        self.is_held_out = False

    def take(self, line: str) -> Record | None:
        if "Overall" not in line:
            self._remember(line)
            return None
        match = _GMM.search(line)
        if match:
            return self._record("avg_like_per_frame", match.group(1))
        match = _NNET.search(line)
        if match is None:
            return None
        name = f"{match.group(2)} {match.group(1)}"
        return self._record(
            f"valid {name}" if self.is_held_out else f"train {name}", match.group(3)
        )

    def _remember(self, line: str) -> None:
        self.is_held_out |= "valid_diagnostic" in line or "compute_prob_valid" in line
        match = _ACC.search(line) or _MODEL.search(line)
        if match and self.step is None:
            self.step = int(match.group(1))

    def _record(self, name: str, token: str) -> Record | None:
        value = number(token)
        return None if value is None else Record({name: value}, self.step)


def _claims(line: str) -> bool:
    return "Overall" in line or ".mdl" in line or ".raw" in line


PROFILE: Final = LineProfile("kaldi", 420, _claims, _Parser)
