"""How a loss runs away: by a factor at each step, from the start, in the last records."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from spikedoc.evidence._answers import UNKNOWN, answer, asked_of, is_nonfinite_form, saying, short
from spikedoc.evidence.base import Answer, Case, Probe
from spikedoc.model.label import Kind
from spikedoc.model.metric import Metric
from spikedoc.model.run import Series
from spikedoc.signal.transform import ratio
from spikedoc.text import Text

# An error that each step multiplies: tenfold in all, in three rises at least, of which none makes
# up more than three fifths of the way (on a log axis), and hardly a record lower than the one
# before. One bad batch is one jump, however high.
FACTOR: Final = 10.0
RISES: Final = 3
LARGEST_SHARE: Final = 0.6
RISING_SHARE: Final = 0.8
# Nothing was learned when the best level before is within this share of the first value. The
# first evaluations of a run that trains fall by more.
LEARNED: Final = 0.05
# "From the start": at most so many records before the loss leaves, in a log that holds the start.
START_RECORDS: Final = 20
START_STEP: Final = 100
# With two to five records before the break there is no noise to compare with: half as much again
# as all before.
FEW_RECORDS: Final = 6
# A jump to another level, which need not be tenfold to be no growth.
JUMP_FACTOR: Final = 2.0
# A level that a jump led to and that stays, but for the scatter of a loss.
SAME_LEVEL: Final = 1.2
FEW_FACTOR: Final = 1.5
# A finite loss of a log too short to measure its noise: three times its lowest, as the detector of
# short courses asks of a turn.
SHORT_LOG: Final = 60
TURN_FACTOR: Final = 3.0

# A run of reinforcement learning logs the terms of its loss, and no sum of them.
LOSSES: Final = (Metric.LOSS, Metric.VAL_LOSS, Metric.LOSS_COMPONENT, Metric.VAL_LOSS_COMPONENT)

_RUNAWAY: Final = frozenset({Kind.DIVERGENCE, Kind.NONFINITE})
# A loss that breaks after a few records that did not fall need not have been rising.
_FINITE: Final = frozenset({Kind.DIVERGENCE})


def _own(case: Case) -> Series | None:
    """Return the loss or the term of it that the anomaly is about, else that of training."""
    own = case.run.named(case.anomaly.signal)
    if own is not None and own.metric in LOSSES:
        return own
    return case.run.get(Metric.LOSS)


def _whole_before(series: Series) -> NDArray[np.float64]:
    """Return the values before the first one that is not finite."""
    finite = series.is_finite
    return series.values if bool(finite.all()) else series.values[: int(np.argmin(finite))]


def _climb(case: Case, series: Series) -> NDArray[np.float64]:
    """Return the values from the one before the onset to the highest one from there on."""
    values = _whole_before(series)
    if is_nonfinite_form(case):
        low = values.size - 1  # back along the last rise
        while low > 0 and values[low - 1] < values[low]:
            low -= 1
        return values[low:]
    at = max(0, series.index_at(case.anomaly.start_step) - 1)
    rest = values[at:]
    return rest[: int(np.argmax(rest)) + 1] if rest.size else rest


def _stays_there(case: Case, series: Series, highest: float) -> bool:
    """Return whether the records that follow a jump stand at its height: nothing is enlarged."""
    after = _whole_before(series)[series.index_at(case.anomaly.start_step) :]
    stands = after.size > RISES and float(after.min()) > 0
    return stands and float(np.median(after)) * SAME_LEVEL >= highest


def _grows_geometrically(case: Case) -> Answer:
    series = _own(case)
    if series is None:
        return UNKNOWN
    climb = _climb(case, series)
    if climb.size < 2 or float(climb.min()) <= 0 or climb[-1] < JUMP_FACTOR * climb[0]:
        return UNKNOWN
    stays = _stays_there(case, series, float(climb[-1]))
    if not stays and (climb.size <= RISES or climb[-1] < FACTOR * climb[0]):
        return UNKNOWN  # too little to tell one jump from growth
    rises = np.diff(np.log(climb))
    whole = float(rises.sum())
    # A loss that falls before it jumps goes more than the whole way at once.
    largest = min(1.0, float(rises.max()) / whole)
    jump = largest > LARGEST_SHARE
    if not jump and (climb[-1] < FACTOR * climb[0] or float(np.mean(rises > 0)) < RISING_SHARE):
        return UNKNOWN  # up and down, or by little, and no single jump either
    if jump and is_nonfinite_form(case) and _whole_before(series).size < FEW_RECORDS:
        return UNKNOWN  # of a few records before a break one is always the largest step
    return _told_growth(
        series,
        not jump,
        first=short(float(climb[0])),
        last=short(float(climb[-1])),
        records=int(rises.size),
        factor=short(ratio(whole / rises.size)),
        largest=short(100.0 * largest),
    )


def _told_growth(series: Series, grows: bool, **values: float) -> Answer:
    """Return the answer, which names the term of a loss when it is one that grows."""
    if not grows or series.metric in (Metric.LOSS, Metric.VAL_LOSS):
        return answer(grows, **values)
    return saying(
        answer(True, term=series.spoken, **values),
        "{term} goes from {first} to {last} over {records} records, by about {factor}x each: an "
        "error that every step enlarges, not one bad batch",
        "{term} 在 {records} 条记录内从 {first} 升到 {last}，每条约为前一条的 {factor} 倍："
        "误差被每一步放大，而不是某一个坏批次",
    )


def _leaves_from_start(case: Case) -> Answer:
    series = _own(case)
    if series is None or not len(series) or series.steps[0] > START_STEP:
        return UNKNOWN
    before = series.values[: series.index_at(case.anomaly.start_step)]
    if not before.size or not bool(np.isfinite(before).all()) or float(before[0]) <= 0:
        return UNKNOWN
    first, best = float(before[0]), float(before.min())
    learned = best < (1.0 - LEARNED) * first
    if not learned and before.size > START_RECORDS:
        return UNKNOWN  # neither from the start nor after anything was learned
    return answer(not learned, first=short(first), best=short(best), records=int(before.size))


def _rises_before_break(case: Case) -> Answer:
    series = _own(case)
    if series is None:
        return UNKNOWN
    if not is_nonfinite_form(case):
        return _turns_and_climbs(case, series)
    if bool(series.is_finite.all()):
        return UNKNOWN
    before = _whole_before(series)
    if not 1 < before.size < FEW_RECORDS or float(before.min()) <= 0:
        return UNKNOWN
    usual, last = float(before[:-1].max()), float(before[-1])
    if usual < last < FEW_FACTOR * usual:
        return UNKNOWN  # higher than all before, but hardly
    return answer(last >= FEW_FACTOR * usual, usual=short(usual), last=short(last))


def _turns_and_climbs(case: Case, series: Series) -> Answer:
    """Answer for a loss that stays finite: one that fell and then rises in record after record."""
    if not 0 < len(series) < SHORT_LOG:
        return UNKNOWN
    climb = _climb(case, series)
    if climb.size <= RISES or float(climb.min()) <= 0 or climb[-1] < TURN_FACTOR * climb[0]:
        return UNKNOWN
    if float(np.mean(np.diff(climb) > 0)) < RISING_SHARE or climb[-1] < series.values[-1]:
        return UNKNOWN
    return saying(
        answer(
            True, best=short(float(climb[0])), last=short(float(climb[-1])), count=climb.size - 1
        ),
        "The loss had come down to {best} and then rises over {count} records to {last}: the steps "
        "lead away from what was learned",
        "损失降到 {best} 之后，在 {count} 条记录内又升到 {last}：更新正在偏离已经学到的东西",
    )


PROBES: Final[tuple[Probe, ...]] = (
    Probe(
        "grows_geometrically",
        Text("Does each step multiply the loss?", "损失是否每一步都成倍增长？"),
        Text(
            "The loss goes from {first} to {last} over {records} records, by about {factor}x each: "
            "an error that every step enlarges, not one bad batch",
            "损失在 {records} 条记录内从 {first} 升到 {last}，每条约为前一条的 {factor} 倍："
            "误差被每一步放大，而不是某一个坏批次",
        ),
        Text(
            "One jump makes up {largest} % of the way from {first} to {last} (on a log axis)",
            "从 {first} 到 {last} 的上升中，单独一次跳变就占 {largest} %（按对数计）",
        ),
        asked_of(_RUNAWAY, _grows_geometrically),
    ),
    Probe(
        "leaves_from_start",
        Text("Did it leave before anything was learned?", "是否还什么都没学到就已经偏离？"),
        Text(
            "The loss had not fallen below its start ({best} at best, {first} at first) when it "
            "left: no step so far had helped",
            "损失偏离时还没有降到初始值以下（最低 {best}，初始 {first}）：此前没有一步是有益的",
        ),
        Text(
            "The loss had come from {first} down to {best} before it left",
            "损失在偏离之前已经从 {first} 降到 {best}",
        ),
        asked_of(_FINITE, _leaves_from_start),
        needs=(Metric.LOSS,),
    ),
    Probe(
        "rises_before_break",
        Text(
            "Was the last finite loss far above those before?",
            "最后一个有限的损失值是否远高于之前的值？",
        ),
        Text(
            "The last finite loss is {last}, after at most {usual}: it was rising when it broke",
            "最后一个有限的损失值是 {last}，此前最高 {usual}：失效时它正在上升",
        ),
        Text(
            "The last finite loss is {last}, after {usual} at most: it was not rising when it "
            "broke",
            "最后一个有限的损失值是 {last}，此前最高 {usual}：失效前并没有上升",
        ),
        asked_of(_RUNAWAY, _rises_before_break),
    ),
)
