"""The first loss against that of guessing."""

from __future__ import annotations

import math

import numpy as np
import pytest
import synth

from spikedoc.detectors.first_loss import detect
from spikedoc.model.anomaly import Shape
from spikedoc.model.run import ConfigValue


def losses(first: float) -> np.ndarray:
    values = np.linspace(2.0, 1.0, 100)
    values[0] = first
    return values


@pytest.mark.parametrize("ratio", [0.1, 0.4, 2.5, 30.0])
def test_far_from_guessing(ratio: float) -> None:
    run = synth.loss_run(losses(ratio * math.log(1000)), num_classes=1000)
    (found,) = detect(run)
    assert (found.shape, found.first_step, found.last_step) == (Shape.START_OFF, 1, 1)
    assert found.measures == {
        "first": pytest.approx(ratio * math.log(1000)), "chance": pytest.approx(math.log(1000)),
        "classes": 1000.0, "ratio": pytest.approx(ratio),
    }  # fmt: skip


def test_a_sum_of_terms_does_not_begin_at_a_guess() -> None:
    run = synth.loss_run(losses(2.5 * math.log(1000)), num_classes=1000)
    assert detect(synth.summed(run, 0.5, 0.5)) == ()


@pytest.mark.parametrize("ratio", [0.6, 1.0, 1.2, 1.9])
def test_near_enough(ratio: float) -> None:
    assert detect(synth.loss_run(losses(ratio * math.log(10)), num_classes=10)) == ()


@pytest.mark.parametrize("classes", [None, 0, 1, "10", 10.0])
def test_without_a_number_of_classes_nothing_is_expected(classes: ConfigValue) -> None:
    config = {} if classes is None else {"num_classes": classes}
    assert detect(synth.loss_run(losses(50.0), **config)) == ()


def test_a_log_that_begins_later_says_nothing_of_the_start() -> None:
    late = synth.run(synth.series(losses(50.0), first=100), config={"num_classes": 10})
    assert detect(late) == ()


@pytest.mark.parametrize("first", [math.nan, math.inf])
def test_a_first_loss_that_is_no_number_is_another_matter(first: float) -> None:
    assert detect(synth.loss_run(losses(first), num_classes=10)) == ()
    assert detect(synth.loss_run(np.zeros(0), num_classes=10)) == ()


@pytest.mark.parametrize("classes", [2, 10])
def test_half_and_twice_of_a_guess_are_still_usual(classes: int) -> None:
    guess = math.log(classes)
    for first, told in (
        (0.5 * guess, 0), (np.nextafter(0.5 * guess, 0.0), 1),
        (2.0 * guess, 0), (np.nextafter(2.0 * guess, 99.0), 1),
    ):  # fmt: skip
        values = np.array([first, 0.3, 0.2])
        found = detect(synth.loss_run(values, num_classes=classes))
        assert len(found) == told
        if found:
            assert found[0].measures == pytest.approx(
                {"first": first, "chance": guess, "classes": classes, "ratio": first / guess}
            )
            assert (found[0].first_step, found[0].peak_step, found[0].last_step) == (1, 1, 1)
    assert detect(synth.loss_run(np.array([9.0]), num_classes=1)) == ()


@pytest.mark.parametrize(("step", "told"), [(5, 1), (6, 0)])
def test_a_log_begins_by_step_five(step: int, told: int) -> None:
    late = synth.run(synth.series(np.array([9.0, 1.0]), first=step), config={"num_classes": 10})
    assert len(detect(late)) == told
