"""What a page draws: the right series, in order, with every point a finding speaks of."""

from __future__ import annotations

import math

import numpy as np
import pytest
import synth

from spikedoc.assembly.charts import CURVES_MOST, charts
from spikedoc.model.anomaly import Anomaly, Detection, Shape
from spikedoc.model.charts import Curve
from spikedoc.model.label import Kind, Severity
from spikedoc.model.metric import Metric
from spikedoc.model.report import Finding
from spikedoc.model.run import Run
from spikedoc.text import Text

LONG = 200_000


def finding(start: int, peak: int, end: int, signal: str = "loss", *teeth: int) -> Finding:
    seen = tuple(Detection("d", Shape.POINT, signal, t, t, t) for t in teeth)
    anomaly = Anomaly(
        Kind.ISOLATED_SPIKE, Severity.WARNING, 0.9, signal, start, peak, end, detections=seen
    )
    return Finding("F1", anomaly, Text("", ""))


def curve(run: Run, *findings: Finding) -> Curve:
    return charts(run, findings).curves[0]


def test_a_run_without_anything_has_no_charts_to_draw() -> None:
    made = charts(Run("bare", "bare", ()), [])
    assert made.curves == made.lanes == made.folds == ()


def test_the_loss_comes_first_then_what_tells_most() -> None:
    metrics = [Metric.VAL_LOSS, Metric.THROUGHPUT, Metric.LR, Metric.LOSS, Metric.GRAD_NORM]
    run = synth.run(*(synth.series(np.ones(50), metric) for metric in metrics))
    names = [one.signal for one in charts(run, []).curves]
    assert names == ["loss", "grad_norm", "lr", "val_loss", "throughput"]


def test_the_number_of_curves_is_bounded_but_those_of_findings_stay() -> None:
    layers = [
        synth.series(np.ones(50), Metric.LAYER_GRAD_NORM, name=f"layer_grad_norm:{i:03}")
        for i in range(200)
    ]
    run = synth.run(synth.series(np.ones(50)), *layers)
    assert len(charts(run, []).curves) == CURVES_MOST
    names = [c.signal for c in charts(run, [finding(1, 2, 3, "layer_grad_norm:199")]).curves]
    assert len(names) == CURVES_MOST
    assert names[-1] == "layer_grad_norm:199"


@pytest.mark.parametrize("peak", [1, 77_777, LONG])
def test_every_point_a_finding_names_is_drawn(peak: int) -> None:
    values = np.random.default_rng(0).normal(size=LONG) + 9
    teeth = range(50_000, 60_000, 1_000)
    one = curve(
        synth.loss_run(values), finding(max(peak - 9, 1), peak, min(peak + 9, LONG), "loss", *teeth)
    )
    assert {peak, *teeth} <= set(one.steps)
    near = range(max(peak - 9, 1), min(peak + 9, LONG) + 1)
    assert set(near) <= set(one.steps), "a short finding is drawn with all its points"
    drawn = dict(zip(one.steps, one.values, strict=True))
    assert drawn[peak] == pytest.approx(values[peak - 1], rel=1e-5)


def test_a_long_run_with_many_findings_stays_small() -> None:
    values = np.random.default_rng(1).normal(size=LONG) + 9
    many = [finding(at, at + 5, at + 20) for at in range(500, LONG, 997)]
    one = curve(synth.loss_run(values), *many)
    assert one.points == LONG
    assert len(one.steps) < 8_000
    assert {f.anomaly.peak_step for f in many} <= set(one.steps)


def test_no_value_that_is_not_finite_gets_lost() -> None:
    values = np.ones(LONG)
    values[[5, 6, 123_456]] = [math.nan, math.inf, -math.inf]
    one = curve(synth.loss_run(values))
    assert [(s.first_step, s.last_step, s.count) for s in one.nonfinite] == [
        (6, 7, 2),
        (123_457, 123_457, 1),
    ]
    assert all(math.isfinite(value) for value in one.values)


def test_a_run_of_nothing_but_nan_is_drawn_as_such() -> None:
    one = curve(synth.loss_run(np.full(50, np.nan)))
    assert one.steps == ()
    assert one.nonfinite[0].count == 50
