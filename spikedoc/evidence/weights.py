"""What the norm of the weights did."""

from __future__ import annotations

from typing import Final

import numpy as np

from spikedoc.evidence._answers import STUCK, UNKNOWN, answer, asked_of, has_onset, percent, short
from spikedoc.evidence._stretch import stretch
from spikedoc.evidence.base import Answer, Case, Probe
from spikedoc.model.label import Kind
from spikedoc.model.metric import Metric
from spikedoc.signal.around import first_from, last_before
from spikedoc.text import Text

# Points on either side; the weights of a few steps.
AROUND_POINTS: Final = 5
BEFORE_POINTS: Final = 50
BEFORE_FEWEST: Final = 20
# A norm that grows steadily moves a little every step; ten times that pace and 1 % is a jump.
PACE: Final = 10.0
SMALLEST_MOVE: Final = 0.01
# fp32 holds about seven digits: a norm equal in six of them has not moved.
STANDS_STILL: Final = 1e-6


def _weights_jump(case: Case) -> Answer:
    series = case.run.get(Metric.WEIGHT_NORM)
    if series is None or not has_onset(case):
        return UNKNOWN
    onset = case.anomaly.start_step
    before = last_before(series.steps, series.values, onset, BEFORE_POINTS)
    after = first_from(series.steps, series.values, onset, AROUND_POINTS)
    if before.size < BEFORE_FEWEST or after.size < AROUND_POINTS or before[-1] <= 0:
        return UNKNOWN
    pace = float(np.median(np.abs(np.diff(before))))
    move = float(np.abs(after - before[-1]).max())
    jumps = move > PACE * AROUND_POINTS * pace and move >= SMALLEST_MOVE * float(before[-1])
    return answer(
        jumps,
        before=short(float(before[-1])),
        after=short(float(after[-1])),
        percent=percent(move / float(before[-1])),
    )


def _weights_stand_still(case: Case) -> Answer:
    values = stretch(case, case.run.get(Metric.WEIGHT_NORM))
    if values.size == 0:
        return UNKNOWN
    level = float(np.median(values))
    if level <= 0:
        return UNKNOWN
    share = float(np.ptp(values)) / level
    return answer(share < STANDS_STILL, level=short(level), percent=percent(share))


def _weights_grow_on(case: Case) -> Answer:
    series = case.run.named(case.anomaly.signal)
    before, after = (case.anomaly.measures.get(name) for name in ("before", "after"))
    if series is None or before is None or after is None:
        return UNKNOWN
    of_weights = series.metric is Metric.WEIGHT_NORM
    return answer(True, before=short(before), after=short(after)) if of_weights else UNKNOWN


PROBES: Final[tuple[Probe, ...]] = (
    Probe(
        "weights_grow_on",
        Text("Do the weights themselves grow without bound?", "权重本身是否在无限增长？"),
        Text(
            "The weight norm grew from {before} to {after} and was still growing at the end: "
            "nothing holds the weights",
            "权重范数从 {before} 增长到 {after}，到最后仍在增长：没有任何东西约束权重",
        ),
        Text(
            "The weight norm does not grow without bound",
            "权重范数没有无限增长",
        ),
        asked_of(frozenset({Kind.UNBOUNDED_GROWTH}), _weights_grow_on),
        needs=(Metric.WEIGHT_NORM,),
    ),
    Probe(
        "weights_jump",
        Text("Did the norm of the weights jump?", "权重范数是否突变？"),
        Text(
            "The weight norm went from {before} to {after} within a few points ({percent} %): the "
            "weights themselves were changed",
            "权重范数在几个记录点内由 {before} 变为 {after}（{percent} %）：权重本身被改变了",
        ),
        Text(
            "The weight norm went on as before ({before} → {after}, {percent} %)",
            "权重范数照常变化（{before} → {after}，{percent} %）",
        ),
        _weights_jump,
        needs=(Metric.WEIGHT_NORM,),
    ),
    Probe(
        "weights_stand_still",
        Text("Does the norm of the weights not change at all?", "权重范数是否完全不变？"),
        Text(
            "The weight norm stays at {level} to the sixth digit: no weight moves",
            "权重范数一直是 {level}，六位数字都不变：没有权重在动",
        ),
        Text(
            "The weight norm moves (by {percent} % around {level})",
            "权重范数在变化（在 {level} 附近变化 {percent} %）",
        ),
        asked_of(STUCK, _weights_stand_still),
        needs=(Metric.WEIGHT_NORM,),
    ),
)
