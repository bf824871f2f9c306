"""Points, rises, falls and a high end of the loss, as detections with their measures."""

from __future__ import annotations

import numpy as np
import pytest
import synth

from spikedoc.detectors.excursions import detect
from spikedoc.model.anomaly import Detection, Shape


def of_shape(values: np.ndarray, shape: Shape) -> list[Detection]:
    return [d for d in detect(synth.loss_run(values)) if d.shape is shape]


def shapes(values: np.ndarray) -> set[Shape]:
    return {d.shape for d in detect(synth.loss_run(values))}


def test_a_spike_is_a_point_only() -> None:
    (found,) = detect(synth.spike(3.0, at=1200).run)
    assert found.shape is Shape.POINT
    assert (found.first_step, found.peak_step, found.last_step) == (1201, 1201, 1201)
    m = found.measures
    assert m["rise"] == pytest.approx(np.log(3.0), abs=0.1)
    assert m["z"] >= m["threshold"] >= 5.0
    assert (m["index"], m["dips"]) == (1200.0, 0.0)


def test_dips_beside_the_spikes_are_counted_in_groups() -> None:
    values = synth.curve()
    values[[600, 900, 1500]] *= 5.0
    values[[700, 701, 1100]] /= 5.0
    assert {d.measures["dips"] for d in of_shape(values, Shape.POINT)} == {2.0}


def test_a_step_up_is_a_rise_and_a_high_end() -> None:
    values = synth.level_shift(1.5).run.series[0].values
    assert {Shape.RISE, Shape.END_ABOVE_BEST} <= shapes(values)
    for d in of_shape(values, Shape.RISE):
        assert d.first_step == pytest.approx(1201, abs=3)
        assert d.measures["rise"] == pytest.approx(np.log(1.5), abs=0.1)
    (end,) = of_shape(values, Shape.END_ABOVE_BEST)
    assert end.last_step == 2400
    assert end.measures["rise"] == pytest.approx(np.log(1.5), abs=0.1)


class TestFalls:
    @pytest.mark.parametrize("factor", [0.3, 0.6, 0.85])
    def test_an_abrupt_fall_from_a_flat_curve(self, factor: float) -> None:
        values = synth.level_shift(factor).run.series[0].values
        (found,) = of_shape(values, Shape.FALL)
        assert found.first_step == pytest.approx(1201, abs=1)
        assert found.measures["rise"] == pytest.approx(np.log(factor), abs=0.1)

    def test_a_fall_over_twenty_points_is_not_abrupt(self) -> None:
        values = synth.curve("fine-tune", 2000, sigma=0.02)
        values[1200:] *= 0.5 ** np.minimum(np.arange(800) / 40.0, 1.0)
        assert of_shape(values, Shape.FALL) == []

    def test_a_fall_of_a_curve_that_falls_anyway_is_none(self) -> None:
        values = np.exp(-np.arange(2000) / 40.0) * np.exp(synth.noise("gauss", 2000, 0.02, 0))
        assert of_shape(values, Shape.FALL) == []

    def test_a_step_within_a_descent_as_steep_is_part_of_it(self) -> None:
        # Flat, then within 60 points down by 1.5 nats, 0.5 of them at once.
        t = np.arange(2000)
        course = -1.0 * np.clip((t - 1150) / 60.0, 0.0, 1.0) - 0.5 * (t >= 1200)
        values = np.exp(course + synth.noise("gauss", 2000, 0.02, 0))
        steps = [d.measures["span"] for d in of_shape(values, Shape.FALL)]
        assert all(span < 20 for span in steps)

    def test_the_first_tenth_is_left_to_the_descent(self) -> None:
        values = synth.curve("fine-tune", 2000, sigma=0.02)
        values[100:] *= 0.5
        assert of_shape(values, Shape.FALL) == []

    def test_two_falls_are_two(self) -> None:
        values = synth.curve("fine-tune", 2000, sigma=0.02)
        values[1000:] *= 0.6
        values[1500:] *= 0.6
        firsts = sorted(d.first_step for d in of_shape(values, Shape.FALL))
        assert firsts == [pytest.approx(1001, abs=1), pytest.approx(1501, abs=1)]


def test_fifty_nine_points_are_no_verdict() -> None:
    values = np.ones(59)
    values[40] = 50.0
    assert detect(synth.loss_run(values)) == ()


def test_negative_losses_are_judged_too() -> None:
    values = -5.0 + synth.noise("gauss", 1500, 0.05, 3)
    values[900] += 4.0
    (found,) = of_shape(values, Shape.POINT)
    assert found.first_step == 901


def test_zeros_are_judged_too() -> None:
    values = 0.1 * np.exp(synth.noise("gauss", 1500, 0.1, 4))
    values[25:1500:100] = 0.0
    values[900] *= 8.0
    assert [d.first_step for d in of_shape(values, Shape.POINT)] == [901]
