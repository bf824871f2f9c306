"""How large the largest attention logit became."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Final

import numpy as np

from spikedoc.evidence._answers import UNKNOWN, answer, has_onset, lacking, short
from spikedoc.evidence.base import Answer, Case, Probe
from spikedoc.model.label import Kind
from spikedoc.model.metric import Metric
from spikedoc.signal.around import finite, level_before, peak_between
from spikedoc.text import Text

# Logits of healthy transformers level off below about 100 (soft caps stand at 30 to 50,
# arXiv:2408.00118); those that broke had gone on to thousands (arXiv:2302.05442).
LARGE: Final = 100.0
GROWTH: Final = 3.0
# The first tenth of the run, twenty points at least, is what growth is measured from.
EARLY_SHARE: Final = 0.10
EARLY_FEWEST: Final = 20
# The largest fp16 number; within a factor of two of it the next batch may overflow.
FP16_LARGEST: Final = 65504.0
FP16_ROOM: Final = 2.0
GREW_ON: Final = Text(
    "{signal} grew from {first} to {last} and was still growing at the end",
    "{signal} 从 {first} 增长到 {last}，到最后仍在增长",
)


def _max_logit_grows(case: Case) -> Answer:
    if case.anomaly.kind is Kind.UNBOUNDED_GROWTH:
        return _grows_on(case)
    series = case.run.get(Metric.MAX_LOGIT)
    if series is None:
        return lacking(Metric.MAX_LOGIT)
    if not has_onset(case):
        return UNKNOWN
    _, values = finite(series.steps, series.values)
    early = values[: max(EARLY_FEWEST, int(EARLY_SHARE * values.size))]
    onset = max(case.anomaly.start_step, case.anomaly.peak_step)
    before = level_before(series.steps, series.values, onset)
    if early.size < EARLY_FEWEST or before.size < EARLY_FEWEST:
        return UNKNOWN
    first, last = float(np.median(early)), float(np.median(before))
    grew = last >= LARGE and last >= GROWTH * max(first, 0.0)
    return answer(grew, first=short(first), last=short(last), step=onset)


def _grows_on(case: Case) -> Answer:
    """Answer for a growth that was itself found: of the logits, or of the scale put on them."""
    series = case.run.named(case.anomaly.signal)
    before, after = (case.anomaly.measures.get(name) for name in ("before", "after"))
    if series is None or series.metric is Metric.WEIGHT_NORM or before is None or after is None:
        return UNKNOWN
    found = answer(True, signal=series.name, first=short(before), last=short(after))
    return replace(found, said=GREW_ON)


def _max_logit_near_fp16_limit(case: Case) -> Answer:
    series = case.run.get(Metric.MAX_LOGIT)
    if series is None or not has_onset(case):
        return UNKNOWN
    last = max(case.anomaly.start_step, case.anomaly.peak_step)
    peak = peak_between(series.steps, series.values, case.run.first_step, last)
    if peak is None:
        return UNKNOWN
    near = peak[1] >= FP16_LARGEST / FP16_ROOM
    return answer(near, value=short(peak[1]) if math.isfinite(peak[1]) else peak[1], step=peak[0])


PROBES: Final[tuple[Probe, ...]] = (
    Probe(
        "max_logit_grows",
        Text("Had the largest logit grown by then?", "此前最大 logit 是否一直在增长？"),
        Text(
            "The largest logit grew from {first} early in the run to {last} before step {step}",
            "最大 logit 从训练初期的 {first} 增长到第 {step} 步之前的 {last}",
        ),
        Text(
            "The largest logit did not grow out of its range: {first} early in the run, {last} "
            "before step {step}",
            "最大 logit 没有失控：训练初期为 {first}，第 {step} 步之前为 {last}",
        ),
        _max_logit_grows,
    ),
    Probe(
        "max_logit_near_fp16_limit",
        Text(
            "Did a logit come near the largest fp16 number?",
            "是否有 logit 接近 fp16 的最大值？",
        ),
        Text(
            "The largest logit was {value} at step {step}; fp16 ends at 65504",
            "第 {step} 步的最大 logit 为 {value}，而 fp16 的上限是 65504",
        ),
        Text(
            "The largest logit was {value} (step {step}), far from the end of fp16 at 65504",
            "最大 logit 为 {value}（第 {step} 步），离 fp16 的上限 65504 还远",
        ),
        _max_logit_near_fp16_limit,
        needs=(Metric.MAX_LOGIT,),
    ),
)
