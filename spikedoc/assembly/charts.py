"""The charts of a report: which series are drawn, and thinned so that no anomaly is lost."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from spikedoc.assembly.folding import folds
from spikedoc.assembly.plot import wants_log
from spikedoc.assembly.thinning import kept_points, nonfinite_stretches
from spikedoc.assembly.timeline import lanes
from spikedoc.model.anomaly import Anomaly
from spikedoc.model.charts import Charts, Curve
from spikedoc.model.metric import Metric
from spikedoc.model.report import Finding
from spikedoc.model.run import IntArray, Run, Series
from spikedoc.text import rounded

# A page is at most about 1,400 columns wide, and each stretch gives two points.
MAIN_BUCKETS: Final = 1_000
OTHER_BUCKETS: Final = 300
# Stretches of non-finite points, beyond which the closest are told as one.
MAIN_STRETCHES: Final = 2_000
OTHER_STRETCHES: Final = 300
# Around a finding as many points again, to zoom into; shared among all findings of a run.
WINDOW_BUCKETS: Final = 150
WINDOWS_BUDGET: Final = 2_400
FEWEST_WINDOW_BUCKETS: Final = 8
# Beside a finding the picture shows half its length before and after, at least this many points.
MARGIN_SHARE: Final = 0.5
MARGIN_POINTS: Final = 40
# A screen shows three digits of a value; all of them would double the size of a saved report.
DIGITS: Final = 6
# More series than this are not looked at one by one; at a dozen points each they are still named.
CURVES_MOST: Final = 24
# A comb of a thousand teeth marks its highest ones.
MARKS_MOST: Final = 1_500

# The order in which signals stand under the loss: what tells most about a spike first.
ORDER: Final = (
    Metric.LOSS,
    Metric.GRAD_NORM,
    Metric.LR,
    Metric.LOSS_SCALE,
    Metric.VAL_LOSS,
    Metric.UPDATE_NORM,
    Metric.GRAD_NORM_CLIPPED,
    Metric.WEIGHT_NORM,
    Metric.MAX_LOGIT,
    Metric.VAL_METRIC,
    Metric.TRAIN_METRIC,
    Metric.REWARD,
    Metric.LOSS_COMPONENT,
    Metric.VAL_LOSS_COMPONENT,
    Metric.EXP_AVG_NORM,
    Metric.EXP_AVG_SQ_NORM,
    Metric.LAYER_GRAD_NORM,
    Metric.SKIPPED_STEPS,
    Metric.THROUGHPUT,
    Metric.STEP_TIME,
    Metric.BATCH_SIZE,
    Metric.OTHER,
)


def charts(run: Run, findings: Sequence[Finding]) -> Charts:
    """Return what an interactive page draws of `run`."""
    anomalies = [finding.anomaly for finding in findings]
    shown = _shown(run, anomalies)
    curves = tuple(_curve(one, anomalies, is_main=place == 0) for place, one in enumerate(shown))
    return Charts(curves, lanes(run), folds(run, findings))


def _shown(run: Run, anomalies: Sequence[Anomaly]) -> list[Series]:
    """Return the series to draw: the main loss, those of findings, then by what they tell."""
    main = run.main_loss
    spoken_of = {anomaly.signal for anomaly in anomalies}

    def place(series: Series) -> tuple[bool, bool, int, str]:
        return (
            series is not main,
            series.name not in spoken_of and series.rank is not None,
            ORDER.index(series.metric) if series.metric in ORDER else len(ORDER),
            series.name,
        )

    candidates = [
        series
        for series in run.series
        if len(series)
        and (series.metric in ORDER or series.name in spoken_of)
        and (series.rank is None or series.name in spoken_of)
    ]
    ordered = sorted(candidates, key=place)
    needed = [s for s in ordered[CURVES_MOST:] if s.name in spoken_of]
    kept = ordered[: max(CURVES_MOST - len(needed), 1)]
    return [*kept, *(s for s in needed if s not in kept)][: 2 * CURVES_MOST]


def _curve(series: Series, anomalies: Sequence[Anomaly], *, is_main: bool) -> Curve:
    own = [a for a in anomalies if is_main or a.signal == series.name]
    buckets = MAIN_BUCKETS if is_main else OTHER_BUCKETS
    share = WINDOWS_BUDGET // max(len(own), 1) if own else 0
    window_buckets = int(np.clip(share, FEWEST_WINDOW_BUCKETS, WINDOW_BUCKETS))
    keep = kept_points(
        series.values,
        _marked(series, own),
        [_window(series, anomaly) for anomaly in own],
        buckets,
        window_buckets if is_main else max(window_buckets // 2, FEWEST_WINDOW_BUCKETS),
    )
    values = series.values[keep]
    return Curve(
        signal=series.name,
        metric=series.metric,
        tag=series.tag,
        points=len(series),
        steps=tuple(series.steps[keep].tolist()),
        values=tuple(rounded(value, DIGITS) for value in values.tolist()),
        nonfinite=nonfinite_stretches(
            series.steps, series.values, MAIN_STRETCHES if is_main else OTHER_STRETCHES
        ),
        log=wants_log(values),
    )


def _marked(series: Series, anomalies: Sequence[Anomaly]) -> IntArray:
    """Return the indices of every point that an anomaly or one of its detections names."""
    steps = [s for a in anomalies for s in (a.start_step, a.peak_step, a.end_step)]
    seen = [d for a in anomalies for d in a.detections if d.signal == series.name][:MARKS_MOST]
    steps += [step for d in seen for step in (d.first_step, d.peak_step, d.last_step)]
    index = np.unique(np.searchsorted(series.steps, np.array(steps, dtype=np.int64)))
    return np.asarray(index[index < len(series)], dtype=np.int64)


def _window(series: Series, anomaly: Anomaly) -> tuple[int, int]:
    """Return the half-open range of indices around an anomaly."""
    first, last = series.index_at(anomaly.start_step), series.index_at(anomaly.end_step + 1)
    margin = max(MARGIN_POINTS, int(MARGIN_SHARE * (last - first)))
    return max(0, first - margin), min(len(series), last + margin)
