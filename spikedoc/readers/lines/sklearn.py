"""scikit-learn with `verbose`: MLP, SGD and histogram gradient boosting.

`Validation score: 0.9` behind the line of an iteration; `-- Epoch 3`, then `Norm: 1.2, NNZs: …`;
`[3/100] 1 tree, 31 leaves, max depth = 9, train loss: 0.5, val loss: 0.6, in 0.01s`.
"""

from __future__ import annotations

import re
from typing import Final

from spikedoc.readers.lines._pairs import NUMBER, value
from spikedoc.readers.lines.base import LineProfile, Record, Remembering

_SCORE: Final = re.compile(rf"Validation score: ({NUMBER})")
_EPOCH: Final = re.compile(r"-- Epoch (\d{1,9})")
_LINEAR: Final = re.compile(
    rf"Norm: ({NUMBER}), NNZs: \d{{1,12}}, Bias: ({NUMBER}), T: \d{{1,15}}, "
    rf"Avg\. loss: ({NUMBER})(?:, Objective: ({NUMBER}))?"
)
_TREES: Final = re.compile(r"\[(\d{1,9})/\d{1,9}\] \d{1,9} trees?, \d{1,9} leaves.{0,200}")
_MEASURE: Final = re.compile(rf"(train|val) (loss|score): ({NUMBER})")


class _Parser(Remembering):
    """The sums of an epoch stand on the line behind its number."""

    def __init__(self) -> None:
        self.step: int | None = None

    def take(self, line: str) -> Record | None:
        if (head := _EPOCH.fullmatch(line)) is not None:
            self.step = int(head.group(1))
            return Record()
        if (match := _SCORE.fullmatch(line)) is not None:
            return _record(None, validation_score=match.group(1))
        if self.step is not None and (match := _LINEAR.fullmatch(line)) is not None:
            norm, bias, loss, objective = match.groups()
            # The norm is that of the weights, not of a gradient.
            return _record(self.step, loss=loss, weight_norm=norm, bias=bias, objective=objective)
        return _trees(line)


def _trees(line: str) -> Record | None:
    match = _TREES.fullmatch(line)
    if match is None:
        return None
    found = {f"{part}_{name}": number for part, name, number in _MEASURE.findall(line)}
    return _record(int(match.group(1)), **found)


def _record(step: int | None, **tokens: str | None) -> Record:
    found = {name: value(token) for name, token in tokens.items() if token is not None}
    return Record(
        {name: number for name, number in found.items() if number is not None},
        step,
        is_loose=step is None,
    )


def _claims(line: str) -> bool:
    return line.startswith(("Validation score: ", "-- Epoch ", "Norm: ", "["))


PROFILE: Final = LineProfile("sklearn", 548, _claims, _Parser)
