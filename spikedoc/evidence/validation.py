"""What held-out data say about the anomaly."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Final

import numpy as np

from spikedoc.evidence._answers import (
    BROKEN,
    UNKNOWN,
    answer,
    asked_of,
    has_onset,
    lacking,
    saying,
)
from spikedoc.evidence._quality import Change, all_worse, change_at, first_directed
from spikedoc.evidence.base import Answer, Case, Probe
from spikedoc.model.label import Kind
from spikedoc.model.metric import Metric
from spikedoc.model.run import Series
from spikedoc.signal.around import finite
from spikedoc.signal.baseline import rolling_median
from spikedoc.text import Text

HELD_OUT: Final = (Metric.VAL_LOSS, Metric.VAL_METRIC)
EVALUATIONS_FEWEST: Final = 4
# Kinds that stay where they went: what counts is the end, not the first evaluation after.
LASTING: Final = frozenset({Kind.LEVEL_SHIFT, Kind.DIVERGENCE, Kind.SUSTAINED_DRIFT})

# A level a tenth worse is not called unharmed, however much validation scatters.
LOOKS_WORSE: Final = 0.10


def _around(case: Case, series: Series, sign: int) -> Change | None:
    """Return how a series changed over the anomaly (recurring ones have no before and after)."""
    anomaly = case.anomaly
    if not has_onset(case) or anomaly.kind is Kind.PERIODIC_SPIKES:
        return None
    lasting = anomaly.kind in LASTING
    return change_at(
        series, sign, anomaly.start_step, anomaly.start_step + 1 if lasting else anomaly.end_step
    )


def _val_rises_with_loss(case: Case) -> Answer:
    series = case.run.get(Metric.VAL_LOSS)
    if series is None or series.name == case.anomaly.signal:
        return UNKNOWN
    change = _around(case, series, -1)
    if change is None:
        return UNKNOWN
    return answer(change.is_worse, before=change.before, after=change.after)


def _val_unharmed(case: Case) -> Answer:
    found = first_directed(case.run, HELD_OUT)
    if found is None:
        return lacking(*HELD_OUT)
    series, sign = found
    if series.name == case.anomaly.signal:
        return UNKNOWN  # what rose itself cannot tell whether it did harm
    last = series.window(case.anomaly.start_step, case.run.last_step)[-1:]
    if last.size and not np.isfinite(last[0]):
        return saying(
            answer(False, name=series.spoken, after=float(last[0])),
            "{name} ends at {after}",
            "{name} 最后的值为 {after}",
        )
    change = _around(case, series, sign)
    if change is None:
        return UNKNOWN
    lasting = case.anomaly.kind in LASTING
    worse = change.is_worse or (lasting and all_worse(series, sign, case.anomaly.start_step))
    if not worse and change.gain < -LOOKS_WORSE * abs(change.before):
        return UNKNOWN  # neither harm nor its absence stands out of such a scatter
    return answer(not worse, name=series.spoken, before=change.before, after=change.after)


def _val_improves(case: Case) -> Answer:
    found = first_directed(case.run, HELD_OUT)
    if found is None:
        return lacking(*HELD_OUT)
    series, sign = found
    if series.name == case.anomaly.signal:
        return UNKNOWN  # what went wrong itself is no second opinion
    if has_onset(case) and case.anomaly.kind is not Kind.PERIODIC_SPIKES:
        change = change_at(series, sign, case.anomaly.start_step, _late(series))
    else:
        change = _first_to_last(series, sign)
    if change is None:
        return UNKNOWN
    if not change.is_better and change.gain > IMPROVED * abs(change.before):
        return UNKNOWN  # better, but no further than its scatter: neither is shown
    return answer(change.is_better, name=series.spoken, before=change.before, after=change.after)


def _late(series: Series) -> float:
    steps, _ = finite(series.steps, series.values)
    return float(steps[-min(steps.size, EVALUATIONS_FEWEST)]) if steps.size else math.inf


def _first_to_last(series: Series, sign: int) -> Change | None:
    _, values = finite(series.steps, series.values)
    if values.size < EVALUATIONS_FEWEST:
        return None
    third = max(1, values.size // 3)
    levels = rolling_median(sign * values, third)
    first, last = float(np.median(values[:third])), float(np.median(values[-third:]))
    won = sign * (last - first)
    if won > 0 and float(levels.max()) - sign * last > won:
        return None  # won and half lost again: neither better nor not
    return Change(first, last, sign * (last - first), IMPROVED * abs(first))


# Worth calling an improvement of a run's quality.
IMPROVED: Final = 0.02


def _val_metric_dropped(case: Case) -> Answer:
    found = first_directed(case.run, (Metric.VAL_METRIC,))
    if found is None:
        return UNKNOWN
    series, sign = found
    change = _around(case, series, sign)
    if change is None:
        return UNKNOWN
    return answer(change.is_worse, name=series.spoken, before=change.before, after=change.after)


def _training_goes_on(case: Case) -> bool:
    """Tell whether the training loss stays a number after a break of the validation loss alone."""
    loss = case.run.get(Metric.LOSS)
    own = case.run.named(case.anomaly.signal)
    if loss is None or own is None or own.metric is not Metric.VAL_LOSS:
        return False
    after = loss.window(case.anomaly.start_step, case.run.last_step)
    return after.size > 0 and bool(np.isfinite(after).all())


def _val_also_nonfinite(case: Case) -> Answer:
    series = case.run.get(Metric.VAL_LOSS)
    if series is None:
        return UNKNOWN
    after = series.window(case.anomaly.start_step, case.run.last_step)
    if after.size == 0:
        return UNKNOWN
    finite_there = np.isfinite(after)
    bad = int(np.count_nonzero(~finite_there))
    told = answer(bad > 0, count=bad, points=int(after.size))
    if bad and _training_goes_on(case):
        return saying(
            told,
            "Of {points} validation {points|loss|losses} from step {onset} on {count} "
            "{count|is|are} non-finite",
            "第 {onset} 步起的 {points} 次验证损失中有 {count} 次非有限",
        )
    if bad == after.size:
        return saying(
            told,
            "The validation loss is non-finite as well ({points} {points|value|values} from step "
            "{onset} on, none of them finite): the weights themselves are broken",
            "验证损失也变为非有限值（第 {onset} 步起共 {points} 次，没有一次有限）：权重本身已损坏",
        )
    if bad and bool(finite_there[-1]):
        return saying(
            replace(told, holds=False),
            "Of {points} validation {points|loss|losses} from step {onset} on {count} "
            "{count|is|are} non-finite, and the last one is finite: the weights are sound",
            "第 {onset} 步起的 {points} 次验证损失中有 {count} 次非有限，而最后一次是有限值："
            "权重仍然完好",
        )
    return told


PROBES: Final[tuple[Probe, ...]] = (
    Probe(
        "val_rises_with_loss",
        Text("Did the validation loss rise too?", "验证损失是否也上升？"),
        Text(
            "The validation loss rose over the anomaly ({before} → {after})",
            "验证损失随异常上升（{before} → {after}）",
        ),
        Text(
            "The validation loss did not rise over the anomaly ({before} → {after})",
            "验证损失没有随异常上升（{before} → {after}）",
        ),
        _val_rises_with_loss,
        needs=(Metric.VAL_LOSS,),
    ),
    Probe(
        "val_unharmed",
        Text("Is held-out quality unharmed?", "验证集表现是否未受影响？"),
        Text(
            "{name} did not get worse beyond its usual scatter ({before} → {after}): no "
            "lasting harm",
            "{name} 在异常之后没有超出正常波动的变差（{before} → {after}），没有造成持久损害",
        ),
        Text(
            "{name} got worse over it ({before} → {after})",
            "{name} 在异常期间及之后变差（{before} → {after}）",
        ),
        _val_unharmed,
    ),
    Probe(
        "val_improves",
        Text("Does held-out quality improve afterwards?", "之后验证集表现是否继续改善？"),
        Text("{name} improves ({before} → {after})", "{name} 有改善（{before} → {after}）"),
        Text(
            "{name} does not improve ({before} → {after})",
            "{name} 没有改善（{before} → {after}）",
        ),
        _val_improves,
    ),
    Probe(
        "val_metric_dropped",
        Text("Is the quality metric lower after it?", "评估指标在异常之后是否变差？"),
        Text(
            "{name} is worse at the next evaluations ({before} → {after}), beyond its usual "
            "scatter",
            "{name} 在随后几次评估中变差（{before} → {after}），超出正常波动",
        ),
        Text("{name} did not drop ({before} → {after})", "{name} 没有下降（{before} → {after}）"),
        _val_metric_dropped,
        needs=(Metric.VAL_METRIC,),
    ),
    Probe(
        "val_also_nonfinite",
        Text("Is the validation loss non-finite too?", "验证损失是否也变为非有限值？"),
        Text(
            "{count} of {points} validation {points|loss|losses} from step {onset} on "
            "{count|is|are} non-finite: the weights themselves are broken",
            "第 {onset} 步起的 {points} 次验证损失中有 {count} 次非有限：权重本身已损坏",
        ),
        Text(
            "All validation losses from step {onset} on are finite ({points}): the weights are "
            "sound",
            "第 {onset} 步起的验证损失全部有限（{points} 次）：权重仍然完好",
        ),
        asked_of(BROKEN, _val_also_nonfinite),
        needs=(Metric.VAL_LOSS,),
    ),
)
