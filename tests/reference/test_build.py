"""Bands that hold a further healthy run, and are as wide as what is known allows."""

from __future__ import annotations

import numpy as np
import pytest
from healthy_project import STEPS, changed, healthy, series, without
from scipy import stats

from spikedoc.model.run import Run
from spikedoc.reference.band import Axis, Band, Reference, Scale, Side
from spikedoc.reference.build import build, student_quantile
from spikedoc.reference.departure import compare
from spikedoc.signal.statistic import COUNTS, LEVELS, QUANTILES

RUNS = [healthy(seed) for seed in range(8)]


def band(reference: Reference, name: str) -> Band:
    return next(one for one in reference.bands if one.signal == name)


def width(count: int, name: str) -> float:
    found = band(build(RUNS[:count]), name)
    return float(np.median(np.log(found.high / found.low)))


def test_the_middle_is_the_curve_and_the_band_lies_around_it() -> None:
    found = band(build(RUNS), "loss")
    centre = 0.5 * (found.edges[1:] + found.edges[:-1])
    curve = 0.5 + 2.0 * np.exp(-6.0 * centre / 1000)
    assert found.middle == pytest.approx(curve, rel=0.06)
    assert bool(((found.low < found.middle) & (found.middle < found.high)).all())
    assert (found.edges[0], found.edges[-1]) == (1.0, 1001.0)
    assert found.low.size == 20


def test_fewer_runs_give_wider_bands() -> None:
    for name in ("loss", "val_loss", "grad_norm"):
        widths = [width(count, name) for count in (1, 2, 4, 8)]
        assert widths == sorted(widths, reverse=True), name
        assert widths[0] > 1.4 * widths[-1]


def test_noise_within_the_only_run_widens_its_band() -> None:
    rng = np.random.default_rng(0)
    quiet, noisy = (
        Run("a", "", (series("loss", STEPS, np.exp(rng.normal(0.0, sigma, STEPS.size))),))
        for sigma in (0.01, 2.0)
    )
    ratios = [np.log(b.high / b.low) for b in (build([quiet]).bands[0], build([noisy]).bands[0])]
    assert float(np.median(ratios[1])) > 1.5 * float(np.median(ratios[0]))


def test_sides_and_what_is_only_told() -> None:
    found = {one.signal: (one.side, one.judged) for one in build(RUNS).bands}
    assert found == {
        "loss": (Side.ABOVE, True),
        "val_loss": (Side.ABOVE, True),
        "grad_norm": (Side.BOTH, True),
        "lr": (Side.BOTH, True),
        "throughput": (Side.BELOW, True),
        "val_metric:acc": (Side.BELOW, True),
        "other:act": (Side.BOTH, False),
    }


def test_a_quality_that_falls_in_health_is_an_error_rate() -> None:
    rate = [
        Run("a", "", (series("val_metric:acc", STEPS, np.linspace(0.9, 0.1, STEPS.size)),))
        for _ in range(3)
    ]
    assert build(rate).bands[0].side is Side.ABOVE


def test_steps_or_the_share_of_training() -> None:
    assert build(RUNS).axis is Axis.STEP
    longer = [healthy(0, 500), healthy(1)]
    found = build(longer)
    assert (found.axis, found.shortest, found.longest) == (Axis.SHARE, 500, 1000)
    assert band(found, "loss").edges[-1] == pytest.approx(1.002, abs=0.002)


def test_a_signal_of_half_of_the_runs_gets_no_band() -> None:
    mixed = [without(run, "grad_norm") if i % 2 else run for i, run in enumerate(RUNS[:4])]
    assert "grad_norm" not in {one.signal for one in build(mixed).bands}


def test_zeros_and_negative_values_are_measured_as_they_are() -> None:
    wave = Run("a", "", (series("loss", STEPS, np.sin(STEPS / 50.0)),))
    found = build([wave]).bands[0]
    assert found.scale is Scale.LINEAR
    assert bool(np.isfinite(found.low).all())


@pytest.mark.parametrize("values", [[1.0], [1.0, 2.0], [np.nan, 1.0, np.inf, 1.0], [0.0] * 9])
def test_runs_of_hardly_any_points(values: list[float]) -> None:
    run = Run("a", "", (series("loss", STEPS[: len(values)], np.array(values)),))
    reference = build([run])
    assert compare(run, reference).first is None


def test_nothing_but_nan_gets_no_band() -> None:
    run = Run("a", "", (series("loss", STEPS, np.full(STEPS.size, np.nan)),))
    assert build([run]).bands == ()


def test_the_order_of_the_runs_makes_no_difference() -> None:
    one, other = build(RUNS[:5]), build(RUNS[4::-1])
    for a, b in zip(one.bands, other.bands, strict=True):
        assert (a.signal, a.runs) == (b.signal, b.runs)
        assert a.low == pytest.approx(b.low)


@pytest.mark.parametrize("freedom", [10, 12, 17, 50])
@pytest.mark.parametrize("probability", [0.95, 0.9975, 0.9995])
def test_quantiles_of_student(freedom: int, probability: float) -> None:
    expected = float(stats.t.ppf(probability, freedom))
    assert student_quantile(probability, freedom) == pytest.approx(expected, rel=0.005)


def test_healthy_runs_stay() -> None:
    for count in (1, 2, 3, 5, 8):
        reference = build(RUNS[:count])
        for seed in range(20, 40):
            assert compare(healthy(seed), reference).first is None, (count, seed)


def test_a_run_beside_itself_stays() -> None:
    odd = changed(healthy(3), "loss", 50.0)
    assert compare(odd, build([odd])).departures == ()


def test_single_numbers_are_medians_over_the_runs() -> None:
    found = band(build(RUNS), "val_loss").numbers
    assert list(found) == [*LEVELS, *QUANTILES, *COUNTS]
    ends = [np.median(run.series[5].values[-2:]) for run in RUNS]
    assert {run.series[5].name for run in RUNS} == {"val_loss"}
    assert found["final"] == pytest.approx(float(np.median(ends)))
    highest = [float(run.series[5].values.max()) for run in RUNS]
    assert found["max"] == pytest.approx(float(np.median(highest)))
    tenths = [float(np.percentile(run.series[5].values, 10)) for run in RUNS]
    assert found["p10"] == pytest.approx(float(np.median(tenths)))
    assert found["count"] == 40.0


def test_numbers_of_whole_runs_are_medians_too() -> None:
    each = [{"nan.count": n, "steps.last": 1000.0} for n in (0.0, 7.0, 1.0)]
    assert build(RUNS[:3], each).numbers == {"nan.count": 1.0, "steps.last": 1000.0}
    assert build(RUNS).numbers == {}
