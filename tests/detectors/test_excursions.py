"""Points, rises, falls and a high end of the loss, as detections with their measures."""

from __future__ import annotations

import math

import naive
import numpy as np
import pytest
import synth
from told import Told, assert_told

from spikedoc.detectors.excursions import detect
from spikedoc.model.anomaly import Detection, Shape
from spikedoc.signal.contrast import best_split, level_changes
from spikedoc.signal.excursion import find_excursions
from spikedoc.signal.level import end_above_best
from spikedoc.signal.view import view


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


def plain_end(length: int, index: int, span: int) -> int:
    return min(length - 1, index + span) + 1


def plain_falls(judged: np.ndarray, base: np.ndarray) -> list[Told]:
    """Falls of 60 % within two points out of a flat curve, the clearest first, one at a place."""
    n, told, places = judged.size, [], []
    for c in sorted(level_changes(judged, base, -1, 7.0, math.log(1.1)), key=lambda c: -c.score):
        index = best_split(judged, c.index, c.span, sign=-1)
        if c.span > 40 or index < max(60, 0.1 * n) or any(abs(k - index) <= c.span for k in places):
            continue
        y = judged.tolist()
        drop = naive.median(y[index - 6 : index - 1]) - naive.median(y[index + 1 : index + 6])
        far = naive.median(y[max(0, index - 2 * c.span) : index - c.span])
        slope = far - naive.median(y[index - c.span : index])
        if drop < 0.6 * -c.change or slope >= 0.25 * -c.change:
            continue
        places.append(index)
        measures = {"z": c.score, "rise": c.change, "span": float(c.span), "index": float(index)}
        steps = (index + 1, index + 1, plain_end(n, index, c.span))
        told.append(Told(Shape.FALL, steps, measures))
    return told


def plain_excursions(judged: np.ndarray) -> list[Told]:
    """Points, rises, falls and the end of a log, from what the signals say of them."""
    n = judged.size
    if n < 60:
        return []
    found = find_excursions(judged)
    noise = found.base.noise
    below = (judged - found.base.hampel) / noise < -found.threshold
    dips = sum(bool(below[i]) and not (i and below[i - 1]) for i in range(n))
    told = []
    for e in found.accepted:
        measures = {"z": e.score, "threshold": e.threshold, "rise": e.rise}
        measures |= {"index": float(e.first), "dips": float(dips)}
        told.append(Told(Shape.POINT, (e.first + 1, e.peak + 1, e.last + 1), measures))
    limit = 6.0 + 0.5 * max(0.0, math.log(n / 2000))
    for c in level_changes(judged, noise, 1, limit, math.log(1.1)):
        index = best_split(judged, c.index, c.span)
        measures = {"z": c.score, "rise": c.change, "span": float(c.span), "index": float(index)}
        steps = (index + 1, index + 1, plain_end(n, index, c.span))
        told.append(Told(Shape.RISE, steps, measures))
    told += plain_falls(judged, noise)
    end = end_above_best(judged, noise)
    if end is not None:
        measures = {"z": end.score, "rise": end.rise, "best": end.best, "index": float(end.index)}
        told.append(Told(Shape.END_ABOVE_BEST, (end.index + 1, n, n), measures))
    return sorted(told, key=lambda one: (one.steps[0], one.shape))


@pytest.mark.parametrize("block", range(15))
def test_excursions_are_told_of_as_the_definition_says(block: int) -> None:
    for seed in range(16 * block, 16 * block + 16):
        rng = np.random.default_rng(seed)
        n = int(rng.choice([59, 60, 130, 400, 640, 2600]))
        t = np.arange(n)
        logs = float(rng.choice([0.0, 1.0])) * np.exp(-t / (0.2 * n))
        at = int(n * rng.choice([0.15, 0.3, 0.5, 0.9]))
        height = float(rng.choice([-1.0, -0.4, -0.2, -0.1, 0.12, 0.2, 0.5]))
        width = float(rng.choice([0.3, 3.0, 6.0, 30.0]))
        logs += height / (1.0 + np.exp(np.clip(-(t - at) / width, -50, 50)))
        if seed % 2:
            logs -= 0.004 * np.minimum(t, at) * float(rng.choice([0.0, 0.3, 1.0]))
        logs += float(rng.choice([0.004, 0.02, 0.05])) * rng.standard_t(5, n)
        logs[rng.integers(0, n, 3)] += float(rng.choice([0.0, 0.5, -0.5]))
        judged = view(t, 2.0 * np.exp(logs)).judged
        assert_told(detect(synth.loss_run(2.0 * np.exp(logs))), plain_excursions(judged))
