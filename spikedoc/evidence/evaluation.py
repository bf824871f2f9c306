"""Whether the training loss reacts to evaluations."""

from __future__ import annotations

import math
from typing import Final

import numpy as np
from numpy.typing import NDArray

from spikedoc.evidence._after_evaluation import (
    is_of_evaluations,
    off_after_evaluation,
    rise_after_evaluation,
)
from spikedoc.evidence._answers import (
    UNKNOWN,
    answer,
    has_onset,
    is_recurring,
    lacking,
    percent,
    short,
)
from spikedoc.evidence._events import event_steps, signal
from spikedoc.evidence._facts import epoch_length, evaluations, spacing
from spikedoc.evidence._phases import interval
from spikedoc.evidence.base import Answer, Case, Probe
from spikedoc.model.metric import Metric
from spikedoc.model.run import Series
from spikedoc.signal.around import detrended, finite
from spikedoc.signal.baseline import scatter
from spikedoc.signal.view import view
from spikedoc.text import Text

# Within three logged points after an evaluation, or a tenth of the way to the next one: what an
# evaluation leaves behind may grow for some steps. Seven events in ten.
AFTER_POINTS: Final = 3
AFTER_INTERVAL: Final = 0.10
AFTER_SHARE: Final = 0.70
# Evaluations so dense that this share of all steps lies just after one tell nothing.
DENSE_SHARE: Final = 0.34
# Events and evaluations needed: a single event lands after an evaluation by chance once in ten.
EVENTS_FEWEST: Final = 3
EVALUATIONS_FEWEST: Final = 4
# Evaluations every few steps meet every event.
DENSE_STEPS: Final = 10
# Dip after evaluations: this many standard errors, and this many robust deviations.
DIP_ERRORS: Final = 4.0
DIP_SIZE: Final = 0.5
DIP_TREND: Final = 15
# Evaluations are apart from the epoch when fewer than this share lie at a boundary.
APART_SHARE: Final = 0.70
BOUNDARY_SHARE: Final = 0.02


def _lags(events: NDArray[np.float64], evals: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return for each event how many steps before it the last evaluation was; inf for none."""
    at = np.searchsorted(evals, events, side="right") - 1
    lags = np.where(at >= 0, events - evals[np.maximum(at, 0)], np.inf)
    return np.asarray(lags, dtype=np.float64)


def _events(case: Case) -> tuple[int, ...]:
    """Return where the events begin: of a recurring anomaly, or all anomalies of its kind."""
    if is_recurring(case):
        return event_steps(case)
    same = {a.start_step for a in case.anomalies if a.kind is case.anomaly.kind}
    return tuple(sorted(same | {case.anomaly.start_step}))


def _follows_evaluation(case: Case) -> Answer:
    evals, series = evaluations(case.run), signal(case)
    every = interval(evals)
    if series is None or every is None or not has_onset(case):
        return lacking(Metric.VAL_LOSS) if evals.size == 0 else UNKNOWN
    if is_of_evaluations(case):
        return UNKNOWN  # found by that very question; single events hardly show in the noise
    window = AFTER_POINTS * spacing(series)
    if window > DENSE_SHARE * every:
        return UNKNOWN
    window = max(window, AFTER_INTERVAL * every)
    events = _events(case)
    if len(events) < EVENTS_FEWEST:
        return UNKNOWN
    lags = _lags(np.array(events, dtype=np.float64), evals)
    if float(np.mean(lags == 0)) >= AFTER_SHARE:
        return UNKNOWN  # at the very step: which of the two came first, the log does not say
    share = float(np.mean(lags <= window))
    lag = float(np.median(lags))
    if not math.isfinite(lag):
        return UNKNOWN  # most events lie before the first evaluation
    return answer(
        share >= AFTER_SHARE,
        percent=percent(share),
        count=len(events),
        window=round(window),
        lag=round(lag),
    )


def _at_evaluations(case: Case) -> Answer:
    evals, series = evaluations(case.run), signal(case)
    every = interval(evals)
    if series is None or every is None or not is_recurring(case):
        return lacking(Metric.VAL_LOSS) if evals.size == 0 else UNKNOWN
    if is_of_evaluations(case):
        return UNKNOWN
    events = event_steps(case)
    if spacing(series) > 1 or len(events) < EVENTS_FEWEST or every < DENSE_STEPS:
        return UNKNOWN
    share = float(np.mean(_lags(np.array(events, dtype=np.float64), evals) == 0))
    return answer(share >= AFTER_SHARE, percent=percent(share), count=len(events))


def _after_minus_usual(series: Series, evals: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return the mean residual of the points just after each evaluation, in robust deviations."""
    steps, values = finite(series.steps, series.values)
    if values.size < DIP_TREND:
        return np.zeros(0)
    judged = np.log(values) if float(values.min()) > 0 else values
    residual = detrended(judged, DIP_TREND)
    spread = scatter(residual)
    if spread <= 0:
        return np.zeros(0)
    # The early descent is no baseline.
    evals = evals[evals >= steps[values.size // 10]]
    starts = np.searchsorted(steps, evals, side="right")
    starts = starts[starts + AFTER_POINTS <= values.size]
    rows = residual[starts[:, None] + np.arange(AFTER_POINTS)[None, :]]
    return np.asarray(rows.mean(axis=1) / spread)


def _spread(series: Series) -> float:
    """Return the scatter of a series about its trend, on the scale it is judged on."""
    judged = view(series.steps, series.values).judged
    return scatter(detrended(judged, DIP_TREND)) or 1.0


def _lower_after_evaluation(case: Case) -> Answer:
    loss, evals = case.run.get(Metric.LOSS), evaluations(case.run)
    every = interval(evals)
    if loss is None or every is None:
        return lacking(Metric.VAL_LOSS) if evals.size == 0 else UNKNOWN
    if (off := off_after_evaluation(case)) is not None and off.size < 0:
        return answer(True, size=short(off.size / _spread(loss)), count=off.count)
    if AFTER_POINTS * spacing(loss) > DENSE_SHARE * every or _at_epoch_ends(case):
        return UNKNOWN
    after = _after_minus_usual(loss, evals)
    if after.size < EVALUATIONS_FEWEST:
        return UNKNOWN
    mean = float(np.mean(after))
    rise = rise_after_evaluation(case)
    if rise is not None and not rise.settles:
        return UNKNOWN  # higher for as long as the mode lasts: statistics that do not fit do that
    error = max(float(np.std(after)), 1 / math.sqrt(AFTER_POINTS)) / math.sqrt(after.size)
    return answer(
        mean < -DIP_SIZE and mean < -DIP_ERRORS * error, size=short(mean), count=int(after.size)
    )


def _share_at_epoch_ends(case: Case) -> float | None:
    """Return which share of the evaluations lies at an epoch boundary; None when unknown."""
    epoch, evals, series = epoch_length(case.run), evaluations(case.run), signal(case)
    if epoch is None or evals.size < EVALUATIONS_FEWEST or epoch <= 1:
        return None
    stride = spacing(series) if series is not None else 1.0
    phase = np.mod(evals, epoch)
    near = np.minimum(phase, epoch - phase) <= max(stride, BOUNDARY_SHARE * epoch)
    return float(np.mean(near))


def _at_epoch_ends(case: Case) -> bool:
    share = _share_at_epoch_ends(case)
    return share is not None and share >= APART_SHARE


def _eval_apart_from_epoch(case: Case) -> Answer:
    if epoch_length(case.run) is None:
        return lacking(Metric.EPOCH, config=("steps_per_epoch",))
    share = _share_at_epoch_ends(case)
    if share is None:
        return UNKNOWN
    return answer(
        share < APART_SHARE, percent=percent(share), count=int(evaluations(case.run).size)
    )


PROBES: Final[tuple[Probe, ...]] = (
    Probe(
        "follows_evaluation",
        Text("Does it begin right after an evaluation?", "异常是否紧跟在评估之后？"),
        Text(
            "{percent} % of {count} {count|event comes|events come} within {window} "
            "{window|step|steps} after an evaluation (typically {lag})",
            "{count} 次事件中有 {percent} % 出现在评估后的 {window} 步之内（通常相隔 {lag} 步）",
        ),
        Text(
            "It does not follow the evaluations ({percent} % of {count} {count|event|events}; "
            "typically {lag} {lag|step|steps} after one)",
            "异常与评估无关（{count} 次中占 {percent} %，通常与上次评估相隔 {lag} 步）",
        ),
        _follows_evaluation,
    ),
    Probe(
        "at_evaluations",
        Text(
            "Do the events fall on the very steps of the evaluations?",
            "事件是否恰好落在评估那一步？",
        ),
        Text(
            "{percent} % of {count} {count|event falls|events fall} on the very step of an "
            "evaluation, not after it: the last batch before it, often the last of an epoch",
            "{count} 次事件中有 {percent} % 恰好落在评估那一步，而不是之后：即评估之前的最后一批，"
            "往往也是一轮的最后一批",
        ),
        Text(
            "{percent} % of {count} {count|event falls|events fall} on the step of an evaluation",
            "{count} 次事件中有 {percent} % 落在评估那一步",
        ),
        _at_evaluations,
    ),
    Probe(
        "lower_after_evaluation",
        Text("Is the training loss lower right after evaluations?", "评估之后训练损失是否偏低？"),
        Text(
            "Right after {count} {count|evaluation|evaluations} the training loss is off by {size} "
            "deviations: lower, as with dropout off or running statistics",
            "{count} 次评估之后训练损失偏低（{size} 个标准差），像是仍处于 eval 模式（dropout "
            "关闭、使用滑动统计量）",
        ),
        Text(
            "The training loss is not lower after evaluations ({size} deviations, {count} "
            "{count|evaluation|evaluations})",
            "评估之后训练损失并未偏低（{size} 个标准差，共 {count} 次评估）",
        ),
        _lower_after_evaluation,
        needs=(Metric.LOSS,),
    ),
    Probe(
        "eval_apart_from_epoch",
        Text(
            "Do evaluations and epoch ends fall on different steps?",
            "评估与 epoch 结束是否不在同一步？",
        ),
        Text(
            "{percent} % of {count} {count|evaluation is|evaluations are} at an epoch boundary: "
            "the two can be told apart",
            "{count} 次评估中有 {percent} % 位于 epoch 边界，两者可以区分",
        ),
        Text(
            "{percent} % of {count} {count|evaluation is|evaluations are} at an epoch boundary: "
            "the two cannot be told apart",
            "{count} 次评估中有 {percent} % 位于 epoch 边界，两者无法区分",
        ),
        _eval_apart_from_epoch,
    ),
)
