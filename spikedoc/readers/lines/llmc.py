"""llm.c: main.log `s:0 trl:11.0 lr:3e-4`, and stdout `step 1/100 | loss 10.9 (+nanz)| …`."""

from __future__ import annotations

import re
from typing import Final

from spikedoc.readers._numbers import number
from spikedoc.readers.lines.base import LineProfile, Record, Remembering
from spikedoc.readers.lines.step_block import step_headed

_LOG: Final = re.compile(r"s:(\d{1,15}) ((?:(?:trl|tel|eval|lr|norm):\S{1,40}\s{0,4}){1,6})")
_NAMES: Final = {
    "trl": "train_loss",
    "tel": "val_loss",
    "eval": "hella",
    "lr": "lr",
    "norm": "norm",
}
# "step    1/19560 | loss 10.99 (+nanz)| norm 15.3 (+nanz)| lr 8.57e-07 | 2913 ms | 37% bf16 …"
_STDOUT: Final = re.compile(
    r"step\s{1,12}(\d{1,15})/(\d{1,15}) \| (?:train )?loss (\S{1,30})"
    r"(?: \(\S{1,12}\))?\s?\|(.{0,300})"
)
_FIELD: Final = re.compile(r"(norm|lr) (\S{1,30})")
_TIME: Final = re.compile(r"(\d{1,12}(?:\.\d{1,9})?) ms")
_VAL: Final = re.compile(r"val loss (\S{1,30})$")
_MILLISECONDS: Final = 1e-3


class _Parser(Remembering):
    def __init__(self) -> None:
        self.has_headings = False  # of steps alone on a line: `val loss 0.5` below one is of it

    def take(self, line: str) -> Record | None:
        if line.startswith("s:"):
            return _from_log(line)
        match = _STDOUT.search(line)
        if match is not None:
            return _of_step(match)
        self.has_headings = self.has_headings or step_headed(line) is not None
        found = None if self.has_headings else _VAL.fullmatch(line)
        value = number(found.group(1)) if found else None
        return Record({"val_loss": value}) if value is not None else None


def _of_step(match: re.Match[str]) -> Record:
    loss, rest = number(match.group(3)), match.group(4)
    values = {} if loss is None else {"loss": loss}
    for name, token in _FIELD.findall(rest):
        value = number(token)
        if value is not None:
            values[name] = value
    time = _TIME.search(rest)
    if time:
        values["step_time"] = float(time.group(1)) * _MILLISECONDS
    return Record(values, int(match.group(1)), config={"total_steps": int(match.group(2))})


def _from_log(line: str) -> Record | None:
    match = _LOG.match(line)
    if match is None:
        return None
    values = {}
    for word in match.group(2).split():
        name, _, token = word.partition(":")
        value = number(token)
        if value is not None:
            values[_NAMES[name]] = value
    return Record(values, int(match.group(1)))


def _claims(line: str) -> bool:
    return (
        line.startswith(("s:", "val loss"))
        or ("step " in line and "| loss " in line)
        or "| train loss" in line
        or step_headed(line) is not None
    )


PROFILE: Final = LineProfile("llmc", 330, _claims, _Parser)
