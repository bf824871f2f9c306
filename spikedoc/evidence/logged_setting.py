"""Whether a logged setting of the loss changed where the loss rose."""

from __future__ import annotations

from typing import Final

from spikedoc.evidence._answers import UNKNOWN, answer
from spikedoc.evidence.base import Answer, Case, Probe
from spikedoc.model.anomaly import Shape
from spikedoc.model.loss_setting import Change, Part, setting_changes
from spikedoc.text import Text


def _change(case: Case) -> Change | None:
    """Return the change that the classifier found to bring the rise about, None for no such."""
    seen = case.anomaly.seen_as(Shape.SETTING)
    if seen is None:
        return None
    changes = setting_changes(case.run)
    return next((c for c in changes if (c.tag, c.first) == (seen.signal, seen.first_step)), None)


def _redefined(case: Case) -> Answer:
    return _told(_change(case), (Part.FORMULA, Part.REGULARISER))


def _made_harder(case: Case) -> Answer:
    return _told(_change(case), (Part.TASK,))


def _told(change: Change | None, parts: tuple[Part, ...]) -> Answer:
    if change is None or change.part not in parts:
        return UNKNOWN
    told = answer(
        True,
        name=change.tag,
        before=change.before,
        after=change.after,
        step=change.first,
        last=change.last,
    )
    return told if change.first == change.last else Answer(True, told.values, said=_ON_A_RAMP)


_QUESTION_FORMULA: Final = Text(
    "Does a logged weight, smoothing, temperature or regulariser change where the loss rises?",
    "损失升高处，日志中的权重、平滑系数、温度或正则化强度是否改变？",
)
_QUESTION_TASK: Final = Text(
    "Does a logged length, size, stage or difficulty of the task change where the loss rises?",
    "损失升高处，日志中的长度、尺寸、阶段或任务难度是否改变？",
)
_AT_ONCE: Final = Text(
    "{name} goes from {before} to {after} at step {step}; the loss rises with it and no further",
    "{name} 在第 {step} 步从 {before} 变为 {after}，损失随之升高，此后不再继续升",
)
_ON_A_RAMP: Final = Text(
    "{name} goes from {before} to {after} over steps {step} to {last}; the loss follows it",
    "{name} 在第 {step} 至 {last} 步从 {before} 变到 {after}，损失跟着它变化",
)
_NO: Final = Text(
    "No logged setting of the loss changes there", "日志中没有与损失有关的设置在此处改变"
)

PROBES: Final[tuple[Probe, ...]] = (
    Probe("loss_redefined_here", _QUESTION_FORMULA, _AT_ONCE, _NO, _redefined),
    Probe("task_changed_here", _QUESTION_TASK, _AT_ONCE, _NO, _made_harder),
)
