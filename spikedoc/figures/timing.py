"""Steps to look at, to replay and to go back to."""

from __future__ import annotations

from typing import Final

import numpy as np

from spikedoc.figures._elapsed import elapsed_seconds
from spikedoc.figures._lookup import main_stride
from spikedoc.figures.base import Figure
from spikedoc.model.anomaly import Anomaly
from spikedoc.model.label import Kind
from spikedoc.model.run import Checkpoint, Restart, Run
from spikedoc.model.sign import first_sign
from spikedoc.text import FieldValue, Text

# Two logged points to either side: what came before the event and what it did.
REPLAY_POINTS: Final = 2
# What sets off a rise lies at its beginning: nobody looks at more batches than PaLM skipped at
# least (200), or at more than ten logged points where those are further apart.
REPLAY_MOST: Final = 200
REPLAY_MOST_POINTS: Final = 10
# Weights are safe some way before the first sign: PaLM went back 100 steps; in short runs 5 %.
BACK_STEPS: Final = 100
BACK_SHARE: Final = 0.05
# Where the log merely fell silent nobody knows whether weights were loaded.
PAUSE: Final = "pause"
SECONDS_PER_HOUR: Final = 3600.0


def _onset(_run: Run, anomaly: Anomaly) -> FieldValue | None:
    return anomaly.start_step


def _peak(_run: Run, anomaly: Anomaly) -> FieldValue | None:
    return anomaly.peak_step


def _end(_run: Run, anomaly: Anomaly) -> FieldValue | None:
    return anomaly.end_step


def _replay_first(run: Run, anomaly: Anomaly) -> FieldValue | None:
    # A pattern has no beginning; its clearest event is worth a replay.
    event = anomaly.peak_step if anomaly.kind is Kind.PERIODIC_SPIKES else anomaly.start_step
    first = round(event - REPLAY_POINTS * main_stride(run))
    return max(min(run.first_step, event), first)


def _replay_last(run: Run, anomaly: Anomaly) -> FieldValue | None:
    stride = main_stride(run)
    last = round(anomaly.peak_step + REPLAY_POINTS * stride)
    event = anomaly.peak_step if anomaly.kind is Kind.PERIODIC_SPIKES else anomaly.start_step
    most = round(event + max(REPLAY_MOST, REPLAY_MOST_POINTS * stride))
    return min(max(run.last_step, anomaly.peak_step), last, most)


def last_good(run: Run, anomaly: Anomaly) -> int | None:
    """Return the last step logged before the first sign; None when the run began with it."""
    loss = run.main_loss
    if loss is None:
        return None
    restart = restarted_with(run, anomaly)
    index = loss.index_at(first_sign(run, anomaly) if restart is None else restart.step)
    good = np.flatnonzero(np.isfinite(loss.values[:index]))
    return int(loss.steps[good[-1]]) if good.size else None


def _last_good_step(run: Run, anomaly: Anomaly) -> FieldValue | None:
    return last_good(run, anomaly)


def safe_checkpoint(run: Run, anomaly: Anomaly) -> Checkpoint | None:
    """Return the latest checkpoint that was saved before the first sign, or None."""
    good = last_good(run, anomaly)
    if good is None:
        return None
    older = [c for c in run.checkpoints if c.step is not None and c.step <= good]
    return max(older, key=lambda c: c.step or 0, default=None)


def restarted_with(run: Run, anomaly: Anomaly) -> Restart | None:
    """Return the restart that the first sign came with, or None; a mere pause is none.

    What was saved before it is from before the fault, without a margin.
    """
    sign, reach = first_sign(run, anomaly), REPLAY_POINTS * main_stride(run)
    near = [r for r in run.restarts if r.reason != PAUSE and 0 <= sign - r.step <= reach]
    return near[-1] if near else None


def rollback(run: Run, anomaly: Anomaly) -> int | None:
    """Return the step to go back to: that of the safe checkpoint, else some way before."""
    checkpoint, good = safe_checkpoint(run, anomaly), last_good(run, anomaly)
    if checkpoint is not None:
        return checkpoint.step
    if good is None:
        return None
    if restarted_with(run, anomaly) is not None:
        return good
    back = min(BACK_STEPS, round(BACK_SHARE * (run.last_step - run.first_step)))
    return max(run.first_step, good - back)


def _rollback_step(run: Run, anomaly: Anomaly) -> FieldValue | None:
    return rollback(run, anomaly)


def _rollback_checkpoint(run: Run, anomaly: Anomaly) -> FieldValue | None:
    checkpoint = safe_checkpoint(run, anomaly)
    return checkpoint.path if checkpoint is not None else None


def _restart_step(run: Run, anomaly: Anomaly) -> FieldValue | None:
    """Return the step at which the last restart up to the anomaly went on; None without one."""
    reach = REPLAY_POINTS * main_stride(run)
    return max((r.step for r in run.restarts if r.step <= anomaly.start_step + reach), default=None)


def _wasted_steps(run: Run, anomaly: Anomaly) -> FieldValue | None:
    step = rollback(run, anomaly)
    return None if step is None else max(0, run.last_step - step)


def _wasted_hours(run: Run, anomaly: Anomaly) -> FieldValue | None:
    step = rollback(run, anomaly)
    return None if step is None else _hours(run, step)


def _hours(run: Run, step: int) -> float | None:
    """Return the hours of training from `step` to the end of the log; None when not logged."""
    seconds = elapsed_seconds(run, step, run.last_step)
    return None if seconds is None else seconds / SECONDS_PER_HOUR


def _steps_after(run: Run, anomaly: Anomaly) -> FieldValue | None:
    return max(0, run.last_step - anomaly.start_step) if run.series else None


def _hours_after(run: Run, anomaly: Anomaly) -> FieldValue | None:
    return _hours(run, anomaly.start_step)


def _ramp_lead_steps(run: Run, anomaly: Anomaly) -> FieldValue | None:
    lead = anomaly.start_step - first_sign(run, anomaly)
    return lead if lead > 0 else None


FIGURES: Final[tuple[Figure, ...]] = (
    Figure("onset_step", Text("step at which it begins", "异常开始的步数"), _onset),
    Figure("peak_step", Text("step of the peak", "峰值所在的步数"), _peak),
    Figure("end_step", Text("step at which it ends", "异常结束的步数"), _end),
    Figure("replay_first", Text("first step to replay", "回放的起始步"), _replay_first),
    Figure("replay_last", Text("last step to replay", "回放的结束步"), _replay_last),
    Figure(
        "last_good_step",
        Text("last step before the first sign", "最早征兆之前的最后一步"),
        _last_good_step,
    ),
    Figure("rollback_step", Text("step to go back to", "应回退到的步数"), _rollback_step),
    Figure(
        "rollback_checkpoint",
        Text("checkpoint to go back to", "应回退到的检查点"),
        _rollback_checkpoint,
    ),
    Figure(
        "restart_step", Text("step at which the run went on", "继续训练时的步数"), _restart_step
    ),
    Figure(
        "wasted_steps",
        Text("steps between the way back and the end of the log", "回退点到日志末尾的步数"),
        _wasted_steps,
    ),
    Figure(
        "wasted_hours",
        Text("hours between the way back and the end of the log", "回退点到日志末尾的小时数"),
        _wasted_hours,
    ),
    Figure(
        "steps_after",
        Text("steps logged after the run was lost", "异常发生之后继续训练的步数"),
        _steps_after,
    ),
    Figure(
        "hours_after",
        Text("hours of training after the run was lost", "异常发生之后继续训练的小时数"),
        _hours_after,
    ),
    Figure(
        "ramp_lead_steps",
        Text("steps by which gradient growth came first", "梯度增长比异常早多少步"),
        _ramp_lead_steps,
    ),
)
