"""Fixes that pull the learning rate both ways: the less likely one says when it holds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from spikedoc.model.knowledge import Action, Turn
from spikedoc.model.report import Advice, Cause
from spikedoc.text import Text, Values

_WHEN: Final = Text(
    "Only once the checks speak against {other} ({title}), which asks for the opposite: {text}",
    "{other}（{title}）要求相反的调整，只有检查排除它之后才这样做：{text}",
)


def with_conditions(
    causes: tuple[Cause, ...], fixes: Sequence[tuple[Action, ...]]
) -> tuple[Cause, ...]:
    """Return the causes, likeliest first, with a condition before each fix that moves the learning
    rate against that of a likelier cause; `fixes` are those of each cause, in the same order."""
    leading: tuple[Turn, Cause] | None = None
    out = []
    for cause, actions in zip(causes, fixes, strict=True):
        turns = [action.turns_lr for action in actions]
        out.append(cause if leading is None else _agreeing(cause, turns, leading))
        first = next((turn for turn in turns if turn is not None), None)
        if leading is None and first is not None:
            leading = first, cause
    return tuple(out)


def _agreeing(cause: Cause, turns: Sequence[Turn | None], leading: tuple[Turn, Cause]) -> Cause:
    """Return the cause with the condition before each of its fixes that turns the other way."""
    turn, other = leading
    fixes = tuple(
        _conditional(advice, other) if own not in (None, turn) else advice
        for advice, own in zip(cause.fixes, turns, strict=True)
    )
    return replace(cause, fixes=fixes)


def _conditional(advice: Advice, other: Cause) -> Advice:
    told: Values = {"other": other.rule.code, "title": other.rule.title, "text": advice.text}
    return replace(advice, text=_WHEN.fill(told))
