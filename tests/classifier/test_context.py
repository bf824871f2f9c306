"""What the labelling steps share."""

from __future__ import annotations

import numpy as np
import pytest
import synth

from spikedoc.classifier.context import build
from spikedoc.model.anomaly import Detection, Shape
from spikedoc.model.metric import Metric
from spikedoc.model.objective import Objective
from spikedoc.model.run import Run


def detection(shape: Shape, signal: str = "loss") -> Detection:
    return Detection("any", shape, signal, 1, 1, 1)


def test_detections_are_found_by_shape_and_signal() -> None:
    all_of_them = (
        detection(Shape.RAMP), detection(Shape.RAMP, "grad_norm"), detection(Shape.JUMP, "lr"),
    )  # fmt: skip
    context = build(synth.healthy(n=100).run, all_of_them)
    assert context.of(Shape.RAMP) == list(all_of_them[:2])
    assert context.of(Shape.RAMP, "grad_norm") == [all_of_them[1]]
    assert context.of(Shape.POINT) == []


def test_a_measure_that_is_not_there_is_told_with_its_detector() -> None:
    (seen,) = build(synth.healthy(n=100).run, (detection(Shape.RAMP),)).detections
    with pytest.raises(LookupError, match=r"'any' returned 'ramp' without the measure 'factor'"):
        seen.measures["factor"]
    assert seen.measures.get("factor") is None


def test_a_level_is_the_median_of_finite_points() -> None:
    values = np.array([1.0, np.nan, 3.0, 5.0, 100.0])
    context = build(synth.loss_run(values), ())
    assert context.level(0, 3) == 3.0  # 1, 3, 5: the NaN is no point
    assert context.level(-50, 1) == 1.0
    assert context.level(3, 3) is None
    assert context.level(-9, -5) is None
    assert context.level(90, 99) is None


def test_a_run_without_a_loss_has_no_level() -> None:
    context = build(Run("bare", "bare", ()), ())
    assert context.level(0, 10) is None
    assert (context.seen, context.base, context.is_log) == (None, None, False)
    assert context.objective is Objective.PLAIN


@pytest.mark.parametrize(
    ("first", "stride", "late"),
    [(1, 1, False), (29, 1, False), (33, 1, True), (50, 50, False), (1600, 50, True)],
)
def test_a_log_without_its_beginning(first: int, stride: int, late: bool) -> None:
    steps = synth.series(np.ones(950), first=first, stride=stride)
    assert build(synth.run(steps), ()).begins_after(0.03) is late


def test_few_records_begin_at_their_own_distance() -> None:
    assert not build(synth.run(synth.series(np.ones(8))), ()).begins_after(0.03)
    assert not build(Run("bare", "bare", ()), ()).begins_after(0.03)


def test_the_judged_signal_may_be_the_validation_loss() -> None:
    context = build(synth.run(synth.series(np.ones(9), Metric.VAL_LOSS)), ())
    assert context.signal == "val_loss"


@pytest.mark.parametrize(("sign", "is_log"), [(1.0, True), (-1.0, False)])
def test_logs_where_values_allow_them(sign: float, is_log: bool) -> None:
    assert build(synth.loss_run(sign * np.ones(9)), ()).is_log is is_log


def test_a_loss_of_nothing_but_nan_has_no_baseline() -> None:
    context = build(synth.nan_from_start(20).run, ())
    assert context.seen is not None
    assert len(context.seen) == 0
    assert context.base is None
