"""Where to go back to, why there, and what the run cost after it was lost."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from spikedoc.assembly.advice import Advisor
from spikedoc.assembly.onset import Sign, find_first_sign, with_first_sign
from spikedoc.figures.timing import restarted_with
from spikedoc.model.anomaly import Anomaly
from spikedoc.model.label import Kind, Severity
from spikedoc.model.metric import spoken
from spikedoc.model.report import Rollback
from spikedoc.model.run import Checkpoint, Run
from spikedoc.text import FieldValue, Text

# Kinds after which what followed was lost.
LOST: Final = (
    Kind.NONFINITE,
    Kind.DIVERGENCE,
    Kind.LEVEL_SHIFT,
    Kind.SUSTAINED_DRIFT,
    Kind.LOSS_SCALE_COLLAPSE,
)
SECONDS_PER_HOUR: Final = 3600.0
# Logs count the first step of a training as 0 or 1; one that begins later may have been resumed.
FIRST_STEP: Final = 1
MARGIN: Final = Text(
    ". The {margin} {margin|step|steps} between are a margin: weights may be harmed before a "
    "signal shows it",
    "。两者之间留出 {margin} 步余量：在信号显现之前，权重可能已经受损",
)


BEFORE_RESTART: Final = Text(
    ". The run was restarted at step {restart}: what was saved before that shows nothing of it",
    "。训练在第 {restart} 步重启，重启之前保存的检查点看不出这个问题",
)


def lost_by(anomalies: Sequence[Anomaly]) -> Anomaly | None:
    """Return the first critical finding after which what followed was lost; None without one."""
    lost = [a for a in anomalies if a.severity is Severity.CRITICAL and a.kind in LOST]
    return min(lost, key=lambda a: a.start_step, default=None)


def find_rollback(run: Run, anomalies: Sequence[Anomaly], advisor: Advisor) -> Rollback | None:
    """Return where to go back to; None when the run was not lost, or when it began lost."""
    first = lost_by(anomalies)
    if first is None:
        return None
    signed = with_first_sign(run, first, anomalies)
    step = advisor.number("rollback_step", signed)
    if not isinstance(step, int | float):
        return None
    checkpoint = advisor.number("rollback_checkpoint", signed)
    if checkpoint is None and int(step) <= min(run.first_step, FIRST_STEP):
        return None  # the log begins with the training: nothing was learned that could be kept
    sign = find_first_sign(run, first, anomalies)
    return Rollback(
        step=int(step),
        checkpoint=str(checkpoint) if checkpoint is not None else None,
        reason=_reason(run, sign, signed, None if checkpoint is not None else int(step)),
        wasted_steps=max(0, run.last_step - int(step)),
        wasted_seconds=_seconds(advisor.number("wasted_hours", signed)),
        sign_step=sign.step,
        sign_signal=sign.signal,
        lost_step=first.start_step,
        lost_steps=max(0, run.last_step - first.start_step),
        lost_seconds=_seconds(advisor.number("hours_after", first)),
    )


def _seconds(hours: FieldValue | None) -> float | None:
    return float(hours) * SECONDS_PER_HOUR if isinstance(hours, int | float) else None


def _reason(run: Run, sign: Sign, lost: Anomaly, back: int | None) -> Text:
    """Return which signal gave the first sign, how early, and which checkpoint came too late.

    `back` is the step to go back to where no checkpoint sets it.
    """
    lead = lost.start_step - sign.step
    if lead == 1:
        said = Text(
            "That is before `{signal}` left its normal course at step {step}, the first sign, "
            "one step ahead of `{lost}`",
            "那是在 `{signal}` 于第 {step} 步偏离正常走势之前；这是最早的征兆，比 `{lost}` 早一步",
        )
    elif lead > 0:
        said = Text(
            "That is before `{signal}` left its normal course at step {step}, the first sign, "
            "{lead} steps ahead of `{lost}`",
            "那是在 `{signal}` 于第 {step} 步偏离正常走势之前；"
            "这是最早的征兆，比 `{lost}` 早 {lead} 步",
        )
    else:
        said = Text(
            "That is before `{signal}` left its normal course at step {step}; "
            "nothing that was logged showed a sign earlier",
            "那是在 `{signal}` 于第 {step} 步偏离正常走势之前；已记录的量中没有更早的征兆",
        )
    values: dict[str, FieldValue] = {"signal": spoken(sign.signal), "step": sign.step}
    values |= {"lead": lead, "lost": spoken(lost.signal)}
    restart = restarted_with(run, lost)
    if back is not None and restart is not None:
        values |= {"restart": restart.step}
        said = Text(said.en + BEFORE_RESTART.en, said.zh + BEFORE_RESTART.zh)
    elif back is not None and back > run.first_step:
        values |= {"margin": sign.step - back}
        said = Text(said.en + MARGIN.en, said.zh + MARGIN.zh)
    late = None if back is None else _too_late(run, sign, lost)
    if late is not None:
        values |= {"path": late.path, "saved": late.step or 0}
        said = Text(
            said.en + ". The oldest checkpoint, {path}, was saved at step {saved}, after that sign",
            said.zh + "。最早的检查点 {path} 保存于第 {saved} 步，已在征兆之后",
        )
    return Text(said.en + ".", said.zh + "。").fill(values)


def _too_late(run: Run, sign: Sign, lost: Anomaly) -> Checkpoint | None:
    """Return the oldest checkpoint saved between the first sign and the loss of the run."""
    between = [
        c for c in run.checkpoints if c.step is not None and sign.step <= c.step < lost.start_step
    ]
    return min(between, key=lambda c: c.step or 0, default=None)
