"""The curve for display: never without the points the report speaks of."""

from __future__ import annotations

import math

import numpy as np
import pytest
import synth
from hypothesis import given, settings
from hypothesis import strategies as st

from spikedoc.assembly.plot import BUCKETS, thin_curve, thinned
from spikedoc.model.anomaly import Anomaly
from spikedoc.model.label import Kind, Severity
from spikedoc.model.metric import Metric
from spikedoc.model.run import Run

LONG = 20_000


def anomaly(start: int, peak: int) -> Anomaly:
    return Anomaly(Kind.ISOLATED_SPIKE, Severity.INFO, 0.9, "loss", start, peak, peak)


class TestThinned:
    @pytest.mark.parametrize("n", [0, 1, 2, 3 * BUCKETS])
    def test_short_curves_are_kept_whole(self, n: int) -> None:
        assert thinned(np.zeros(n)).tolist() == list(range(n))

    @pytest.mark.parametrize("n", [3 * BUCKETS + 1, 5_000, LONG, 123_457])
    def test_long_ones_have_a_bounded_number_of_points(self, n: int) -> None:
        values = np.random.default_rng(0).normal(size=n)
        values[::97] = np.nan
        kept = thinned(values)
        assert kept.size <= 3 * BUCKETS
        assert kept.size >= BUCKETS / 2
        assert (np.diff(kept) > 0).all()
        assert 0 <= kept[0] <= kept[-1] < n

    def test_the_highest_and_lowest_point_stay(self) -> None:
        values = np.random.default_rng(1).normal(size=LONG)
        values[12_345], values[6_789] = 99.0, -99.0
        assert {12_345, 6_789} <= set(thinned(values).tolist())

    def test_one_lone_nan_stays(self) -> None:
        values = np.random.default_rng(2).normal(size=LONG)
        values[4_321] = np.nan
        assert 4_321 in thinned(values)

    def test_nothing_but_nan_is_thinned_too(self) -> None:
        assert 0 < thinned(np.full(LONG, np.nan)).size <= BUCKETS


class TestThinCurve:
    def test_there_is_none_without_a_loss(self) -> None:
        assert thin_curve(Run("bare", "bare", ()), []) is None
        assert thin_curve(synth.run(synth.series(np.ones(9), Metric.LR)), []) is None
        assert thin_curve(synth.loss_run(np.zeros(0)), []) is None

    def test_values_stand_at_their_steps(self) -> None:
        plot = thin_curve(synth.run(synth.series(np.array([3.0, 2.0]), stride=5)), [])
        assert plot is not None
        assert (plot.signal, plot.steps, plot.values) == ("loss", (1.0, 6.0), (3.0, 2.0))

    @settings(max_examples=60, deadline=None)
    @given(st.lists(st.integers(1, LONG), min_size=1, max_size=20))
    def test_every_anomalous_point_is_kept(self, steps: list[int]) -> None:
        values = np.sin(np.arange(LONG) / 7.0) + 2.0
        plot = thin_curve(synth.loss_run(values), [anomaly(a, b) for a, b in pairs(steps)])
        assert plot is not None
        shown = dict(zip(plot.steps, plot.values, strict=True))
        for step in steps:
            assert shown[float(step)] == values[step - 1]
        assert list(plot.steps) == sorted(plot.steps)

    def test_an_anomaly_of_another_series_beyond_the_loss_is_not_drawn(self) -> None:
        plot = thin_curve(synth.loss_run(np.ones(10)), [anomaly(500, 600)])
        assert plot is not None
        assert plot.steps == tuple(float(i) for i in range(1, 11))

    @pytest.mark.parametrize(
        ("values", "log"),
        [([1.0, 100.0], True), ([1.0, 2.0], False), ([0.0, 100.0], False), ([-1.0, 100.0], False),
         ([math.nan, 1.0, 100.0], True), ([math.nan], False), ([1.0, math.inf], False)],
    )  # fmt: skip
    def test_a_log_axis_for_wide_positive_curves(self, values: list[float], log: bool) -> None:
        plot = thin_curve(synth.loss_run(np.array(values)), [])
        assert plot is not None
        assert plot.log is log


def pairs(steps: list[int]) -> list[tuple[int, int]]:
    return list(zip(steps, [*steps[1:], steps[0]], strict=True))
