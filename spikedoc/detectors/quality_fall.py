"""A reward or quality that had been won and is lost again for good."""

from __future__ import annotations

from typing import Final

import numpy as np

from spikedoc.model.anomaly import Detection, Shape
from spikedoc.model.metric import Metric
from spikedoc.model.quality import HIGHER_IS_BETTER, direction
from spikedoc.model.run import FloatArray, Run, Series
from spikedoc.signal.baseline import rolling_median, scatter
from spikedoc.signal.leaving import leaving

NAME: Final = "quality_fall"
# Twenty means of three points and more: a reward is mostly noise.
BLOCKS: Final = 20
MIN_POINTS: Final = 60
# Half of what was won is lost, in each of the last five means, and never comes back.
LOST: Final = 0.5
LATE_BLOCKS: Final = 5
# Won and lost by many times what the means scatter.
SIGMAS: Final = 4.0
# The best mean is a chance high of one: the median of three stands for it.
BEST_BLOCKS: Final = 3
# An evaluation on held-out data is a mean over many samples, so that single ones are levels: of
# eight and more, the last five and an eighth of all are lower than half-way down from the best. A
# third of the gain is lost, and three tenths of the best itself: what public logs and small
# trainings lose without a break is a fifth at most (measured on 110 metrics of the corpus).
FEWEST_EVALUATIONS: Final = 8
LATE_EVALUATIONS: Final = 5
LATE_SHARE: Final = 8
LOST_GAIN: Final = 1.0 / 3.0
LOST_LEVEL: Final = 0.3
# The scatter of few evaluations is not well known: so many of it.
FEW_SIGMAS: Final = 6.0


def detect(run: Run) -> tuple[Detection, ...]:
    """Return a DROP for the reward, or the first quality metric, that fell back for good."""
    for metric in (Metric.REWARD, Metric.VAL_METRIC):
        for series in run.all(metric):
            found = _fall(series)
            if found is None and metric is Metric.VAL_METRIC:
                found = _evaluated_fall(series)
            if found is not None:
                return (found,)
    return ()


def _fall(series: Series) -> Detection | None:
    steps, values = series.finite()
    sign = HIGHER_IS_BETTER if series.metric is Metric.REWARD else direction(series)
    if values.size < MIN_POINTS or sign is None or not np.isfinite(np.ptp(values)):
        return None
    parts = np.array_split(sign * values, BLOCKS)
    means: FloatArray = np.array([float(part.mean()) for part in parts])
    # Second differences: what the means scatter beside a steady rise or fall.
    noise = max(scatter(np.diff(means, 2)) / float(np.sqrt(6.0)), _error(parts))
    smooth = np.array([float(np.median(means[i : i + BEST_BLOCKS])) for i in range(BLOCKS - 2)])
    best = int(np.argmax(smooth[: BLOCKS - LATE_BLOCKS - 2]))
    start, top, late = float(means[0]), float(smooth[best]), means[-LATE_BLOCKS:]
    won, lost = top - start, top - float(np.median(late))
    if won < SIGMAS * noise or lost < max(SIGMAS * noise, LOST * won):
        return None
    line = top - LOST * won
    above = np.flatnonzero(means > line)
    if float(late.max()) > line or above.size == 0:
        return None
    first = int(steps[_lost_at(sign * values, parts, (best, int(above[-1])), line)])
    measures = {"best": sign * top, "after": sign * float(np.median(late)), "first": sign * start}
    last = int(steps[-1])
    return Detection(NAME, Shape.DROP, series.name, first, last, last, measures)


def _lost_at(
    values: FloatArray, parts: list[FloatArray], blocks: tuple[int, int], line: float
) -> int:
    """Return the index at which the quality left its best, of `blocks` the best and the last above.

    Half is lost one mean after the last one above the line, for sure: on a slope it began earlier,
    where the quality left its best; a step lies where it was above the line for the last time.
    """
    borders = np.cumsum([0, *(part.size for part in parts)])
    best, last = blocks
    begin, sure = int(borders[best]), int(borders[last + 2])
    left = begin + leaving(-values[begin:], sure - begin)
    if left < sure:
        return left
    since = int(borders[last])
    return since + int(np.flatnonzero(values[since:sure] > line)[-1]) + 1


def _evaluated_fall(series: Series) -> Detection | None:
    """Return the DROP of a metric on held-out data, judged by single evaluations.

    It may not lie below 0, so that a quarter of it is a quarter of something.
    """
    steps, values = series.finite()
    sign, late_size = direction(series), max(LATE_EVALUATIONS, values.size // LATE_SHARE)
    if values.size < FEWEST_EVALUATIONS or sign is None or float(values.min()) < 0:
        return None
    courses = sign * values
    smooth = rolling_median(courses[: values.size - late_size], BEST_BLOCKS)
    best = int(np.argmax(smooth))
    start, top = float(courses[0]), float(smooth[best])
    late = float(np.median(courses[-late_size:]))
    noise = scatter(np.diff(courses, 2)) / float(np.sqrt(6.0))
    worse = min(abs(top), abs(late)) <= (1.0 - LOST_LEVEL) * max(abs(top), abs(late))
    lost = max(LOST_GAIN * (top - start), FEW_SIGMAS * noise)
    line = 0.5 * (top + late)
    if not worse or not top > late or top - late < lost or float(courses[-late_size:].max()) > line:
        return None
    lost_at = int(np.flatnonzero(courses > line)[-1]) + 1
    left = best + leaving(-courses[best:], lost_at - best)
    first, last = int(steps[min(left, lost_at)]), int(steps[-1])
    measures = {"best": sign * top, "after": sign * late, "first": sign * start}
    return Detection(NAME, Shape.DROP, series.name, first, last, last, measures)


def _error(parts: list[FloatArray]) -> float:
    """Return the usual standard error of a mean of one part."""
    return float(np.median([part.std() / np.sqrt(part.size) for part in parts]))


DETECTOR: Final = detect
