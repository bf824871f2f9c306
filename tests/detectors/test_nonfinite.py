"""NaN, infinities and exact zeros: first, last, how many, and what stood before."""

from __future__ import annotations

import math

import naive
import numpy as np
import pytest
import synth
from told import Told, assert_told

from spikedoc.detectors.nonfinite import detect
from spikedoc.model.anomaly import Detection, Shape
from spikedoc.model.metric import Metric
from spikedoc.model.run import Run

NAN, INF = np.nan, np.inf


def of_shape(run: Run, shape: Shape) -> list[Detection]:
    return [d for d in detect(run) if d.shape is shape]


def both(loss: np.ndarray, val_loss: np.ndarray) -> Run:
    return synth.run(synth.series(loss), synth.series(val_loss, Metric.VAL_LOSS))


def test_counts_and_places() -> None:
    values = np.ones(100)
    values[40:50] = NAN
    values[60] = INF
    values[97:] = -INF
    (d,) = detect(synth.loss_run(values))
    assert (d.shape, d.first_step, d.last_step) == (Shape.NONFINITE, 41, 100)
    m = d.measures
    assert (m["count"], m["points"], m["nan"]) == (14.0, 100.0, 10.0)
    assert (m["first_index"], m["last_finite_step"]) == (40.0, 40.0)
    assert m["finite_after"] == 46.0
    assert m["share"] == pytest.approx(14 / 60)
    assert m["at_end"] == 3.0


def test_from_the_first_point_on_there_is_no_last_finite_step() -> None:
    (d,) = detect(synth.nan_from_start(50).run)
    assert "last_finite_step" not in d.measures
    assert (d.measures["share"], d.measures["at_end"]) == (1.0, 50.0)


def test_each_series_has_its_own() -> None:
    bad = np.where(np.arange(50) == 20, NAN, 1.0)
    run = synth.run(
        synth.series(bad), synth.series(bad, Metric.GRAD_NORM), synth.series(bad, Metric.LR),
        synth.series(bad, Metric.LOSS, name="loss-rank0", rank=0),
        synth.series(np.zeros(0), Metric.VAL_LOSS),
    )  # fmt: skip
    # The learning rate and single ranks are not judged by this.
    assert [d.signal for d in detect(run)] == ["loss", "grad_norm"]


def test_zeros_tell_the_level_before_and_the_nan_beside() -> None:
    (zero,) = of_shape(synth.masked_nan(at=600).run, Shape.EXACT_ZERO)
    m = zero.measures
    assert (zero.first_step, m["count"], m["nan_beside"]) == (601, 400.0, 400.0)
    assert m["before"] == pytest.approx(2.4, abs=0.2)
    assert m["share"] == 1.0


def test_zeros_beside_finite_gradients_hide_nothing() -> None:
    (zero,) = detect(synth.zero_loss(at=600).run)
    assert zero.measures["nan_beside"] == 0.0


def test_zeros_without_a_gradient_norm_hide_nothing_known() -> None:
    (zero,) = detect(synth.loss_run(np.where(np.arange(50) < 20, 1.0, 0.0)))
    assert zero.measures["nan_beside"] == 0.0


def test_zero_from_the_start_has_no_level_before() -> None:
    (zero,) = detect(synth.loss_run(np.zeros(50)))
    assert "before" not in zero.measures
    assert zero.measures["first_index"] == 0.0


def test_a_level_before_of_nothing_but_nan_is_none() -> None:
    (zero,) = of_shape(synth.loss_run(np.array([NAN] * 20 + [0.0] * 20)), Shape.EXACT_ZERO)
    assert "before" not in zero.measures


@pytest.mark.parametrize("values", [np.ones(50), np.full(50, 1e-300), -np.ones(50)])
def test_finite_values_are_silent(values: np.ndarray) -> None:
    assert detect(synth.loss_run(values)) == ()


@pytest.mark.parametrize("evaluated", [[49], [9, 19, 29, 39, 49], list(range(1, 50, 2))])
def test_nan_where_nothing_was_evaluated_is_no_fault(evaluated: list[int]) -> None:
    loss, val_loss = np.linspace(2.0, 1.0, 50), np.full(50, np.nan)
    val_loss[evaluated] = 1.5
    assert not detect(both(loss, val_loss))
    loss[30] = np.nan  # now both have it
    assert len(detect(both(loss, val_loss))) == 2


@pytest.mark.parametrize("finite", [[], list(range(20)), list(range(10, 50))])
def test_a_validation_that_breaks_is_told(finite: list[int]) -> None:
    val_loss = np.full(50, np.nan)
    val_loss[finite] = 1.5
    assert detect(both(np.linspace(2.0, 1.0, 50), val_loss))


def test_zeros_among_losses_of_few_decimals_are_near_them() -> None:
    rng = np.random.default_rng(4)
    small = np.abs(rng.normal(0.02, 0.01, 200))
    (rounded,) = of_shape(synth.loss_run(np.round(small, 2)), Shape.EXACT_ZERO)
    assert rounded.measures["gap"] == 0.0  # units of .01 are not told from 0 that far down
    large = np.where(np.arange(200) % 7 == 3, 0.0, np.round(1.0 + small, 2))
    (apart,) = of_shape(synth.loss_run(large), Shape.EXACT_ZERO)
    assert apart.measures["gap"] > 0.9
    level = np.where(np.arange(200) % 7 == 3, 0.0, 0.5)  # one number is no rounded noise
    (still,) = of_shape(synth.loss_run(level), Shape.EXACT_ZERO)
    assert still.measures["gap"] == 1.0


def with_accuracy(accuracy: float, name: str = "acc") -> Run:
    """Two epochs of a loss that is zero, beside an accuracy."""
    zero, acc = np.zeros(2), np.full(2, accuracy)
    return synth.run(synth.series(zero), synth.series(acc, Metric.TRAIN_METRIC, tag=name))


def test_zeros_tell_the_accuracy_beside_them() -> None:
    (zero,) = of_shape(with_accuracy(0.5), Shape.EXACT_ZERO)
    assert (zero.measures["accuracy"], zero.measures["accuracy_before"]) == (0.5, 0.0)
    for run in (with_accuracy(50.0), with_accuracy(0.5, "f1"), synth.loss_run(np.zeros(2))):
        (zero,) = of_shape(run, Shape.EXACT_ZERO)
        assert "accuracy" not in zero.measures


def plain_nonfinite(values: list[float]) -> list[Told]:
    bad = [i for i, v in enumerate(values) if not math.isfinite(v)]
    if not bad:
        return []
    n, first, last = len(values), bad[0], bad[-1]
    good = [i for i in range(n) if i not in bad]
    measures = {
        "count": float(len(bad)),
        "points": float(n),
        "share": len(bad) / (n - first),
        "nan": float(sum(math.isnan(v) for v in values)),
        "first_index": float(first),
        "finite_after": float(sum(i > first for i in good)),
        "at_end": float(n - 1 - max(good, default=-1)),
    }
    if first:
        measures["last_finite_step"] = float(first)
    return [Told(Shape.NONFINITE, (first + 1, first + 1, last + 1), measures)]


def plain_zeros(values: list[float], gradient: list[float] | None) -> list[Told]:
    """What is told of exact zeros of a loss at the steps 1, 2, 3 …"""
    zero = [i for i, v in enumerate(values) if v == 0.0]
    if not zero:
        return []
    first, last = zero[0], zero[-1]
    before = [v for v in values[max(0, first - 50) : first] if math.isfinite(v)]
    others = [abs(v) for v in values[first:last] if math.isfinite(v) and v != 0.0]
    beside = gradient or []
    measures = {
        "count": float(len(zero)),
        "first_index": float(first),
        "share": len(zero) / (len(values) - first),
        "nan_beside": float(sum(i < len(beside) and not math.isfinite(beside[i]) for i in zero)),
        "points": float(len(values)),
        "grad_zero": float(bool(gradient) and not any(beside)),
        "gap": float(np.quantile(others, 0.02)) / naive.median(others) if others else 0.0,
        "stretches": float(sum(i - 1 not in zero for i in zero)),
    }
    if before:
        measures["before"] = naive.median(before)
        measures["right_before"] = naive.median(before[-3:])
        measures["start"] = naive.median([v for v in values if math.isfinite(v)][:3])
        measures["least"] = min(map(abs, before))
    return [Told(Shape.EXACT_ZERO, (first + 1, first + 1, last + 1), measures)]


@pytest.mark.parametrize("block", range(10))
def test_what_is_not_finite_or_zero_is_told_as_defined(block: int) -> None:
    for seed in range(40 * block, 40 * block + 40):
        rng = np.random.default_rng(seed)
        n = int(rng.choice([1, 2, 5, 40, 120]))
        values = rng.normal(0.5, 1.0, n)
        for kind in (NAN, INF, -INF, 0.0, 0.0):
            at = int(rng.integers(0, 2 * n))
            values[at : at + int(rng.choice([1, 1, 2, n]))] = kind
        gradient = [None, np.zeros(n), np.where(rng.random(n) < 0.4, NAN, 1.0)][seed % 3]
        parts = [synth.series(values)]
        if gradient is not None:
            parts.append(synth.series(gradient, Metric.GRAD_NORM))
        beside = None if gradient is None else gradient.tolist()
        expected = plain_nonfinite(values.tolist())
        expected += plain_nonfinite(beside or [])
        expected += plain_zeros(values.tolist(), beside)
        assert_told(detect(synth.run(*parts)), expected)


@pytest.mark.parametrize(
    ("rows", "every", "blank"), [(20, 2, True), (20, 20, True), (19, 2, False), (21, 1.9, False)]
)
def test_blanks_between_evaluations(rows: int, every: float, *, blank: bool) -> None:
    """Twenty rows and more, of which at most half were evaluated, and the first was not."""
    evaluated = np.round(np.arange(every, rows + 0.5, every)).astype(int) - 1
    val = np.full(rows, NAN)
    val[evaluated] = 1.0
    assert (detect(both(np.ones(rows), val)) == ()) is blank
    for wrong in (0, rows // 2):
        other = val.copy()
        other[wrong] = 1.0 if wrong == 0 else INF
        assert detect(both(np.ones(rows), other)) != ()
    assert detect(both(np.ones(rows + 1), val)) != ()
    assert detect(both(np.ones(rows), np.full(rows, NAN))) != ()
