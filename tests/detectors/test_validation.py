"""Validation that gets worse while training gets better."""

from __future__ import annotations

import numpy as np
import pytest
import synth
from plain.validation import validation
from told import assert_told

from spikedoc.detectors.validation import detect
from spikedoc.model.anomaly import Detection, Shape
from spikedoc.model.metric import Metric
from spikedoc.model.run import Run

TRAIN = 0.05 + 2.0 * np.exp(-np.arange(1000) / 200.0)


def run(val: np.ndarray, train: np.ndarray = TRAIN) -> Run:
    stride = max(1, train.size // max(1, val.size))
    return synth.run(
        synth.series(train), synth.series(val, Metric.VAL_LOSS, stride=stride, first=stride)
    )


def valley(n: int = 20, turn: int = 10, rise: float = 0.8) -> np.ndarray:
    """Return a loss that falls from 2 to 1 and then rises by `rise`."""
    k = np.arange(n)
    return np.where(k <= turn, 2.0 - k / turn, 1.0 + rise * (k - turn) / (n - 1 - turn))


def worse(found: tuple[Detection, ...]) -> list[Detection]:
    """Return the detections that say validation got worse; it may well stand still."""
    return [d for d in found if d.shape is not Shape.LEFT_BEHIND]


def test_scissors_open_at_the_best_evaluation() -> None:
    (found,) = detect(run(valley()))
    assert (found.shape, found.signal) == (Shape.SCISSORS, "val_loss")
    assert found.first_step == 550
    m = found.measures
    assert (m["best"], m["best_step"]) == (pytest.approx(1.0), 550.0)
    assert m["last"] == pytest.approx(1.7, abs=0.1)
    assert 45.0 < m["rise_percent"] < 75.0


@pytest.mark.parametrize(
    "val",
    [
        valley(rise=0.05),  # hardly worse
        np.linspace(2.0, 1.0, 20),  # still better
        valley(n=7, turn=3),  # too few
        valley(turn=18),  # too late to say
        np.where(np.arange(20) % 2, 2.0, 1.0),  # no direction
        -valley(),
    ],
)
def test_what_is_no_scissors(val: np.ndarray) -> None:
    assert not worse(detect(run(val)))


@pytest.mark.parametrize("sigma", [0.05, 0.1, 0.3])
@pytest.mark.parametrize("n", [10, 20, 50])
def test_noise_of_validation_is_priced_in(n: int, sigma: float) -> None:
    """A plateau in noise has its lowest evaluation early now and then, and is no worse for it."""
    hits = 0
    for seed in range(40):
        noise = np.exp(np.random.default_rng(seed).normal(0.0, sigma, n))
        hits += bool(worse(detect(run((1.0 + np.exp(-np.arange(n) / (n / 6.0))) * noise))))
    assert hits <= 2


def test_a_training_loss_that_rises_too_is_no_overfitting() -> None:
    train = np.interp(np.arange(1000), [0, 500, 999], [2.0, 1.0, 1.8])
    assert detect(run(valley(), train)) == ()


@pytest.mark.parametrize("train", [TRAIN[:555], -TRAIN])
def test_a_training_loss_that_cannot_be_judged(train: np.ndarray) -> None:
    val = synth.series(valley(), Metric.VAL_LOSS, stride=50, first=50)
    assert detect(synth.run(synth.series(train), val)) == ()


class TestStep:
    """A step from one evaluation to the next is another thing than overfitting."""

    def steps(self, factor: float, at: int = 12, n: int = 24) -> np.ndarray:
        val = 1.0 + np.exp(-np.arange(n) / 4.0)
        val *= np.exp(np.random.default_rng(0).normal(0.0, 0.01, n))
        val[at:] *= factor
        return val

    @pytest.mark.parametrize("factor", [1.5, 3.0])
    def test_its_place_and_its_factor(self, factor: float) -> None:
        (found,) = detect(run(self.steps(factor)))
        assert (found.shape, found.signal) == (Shape.RISE, "val_loss")
        assert found.first_step == 41 * 13
        m = found.measures
        assert m["factor"] == pytest.approx(factor, rel=0.08)
        assert m["after"] == pytest.approx(m["before"] * m["factor"])
        assert m["z"] > 5.0

    def test_a_small_one_is_none(self) -> None:
        assert not worse(detect(run(self.steps(1.15))))

    def test_one_that_comes_back_is_none(self) -> None:
        val = self.steps(1.0)
        val[12:15] *= 2.0
        assert not worse(detect(run(val)))

    def test_a_slow_rise_is_none(self) -> None:
        assert [d.shape for d in detect(run(valley(rise=1.5)))] == [Shape.SCISSORS]

    @pytest.mark.parametrize("at", range(5, 20))
    def test_wherever_it_is(self, at: int) -> None:
        (found,) = detect(run(self.steps(2.0, at)))
        assert (found.shape, found.first_step) == (Shape.RISE, 41 * (at + 1))

    def test_a_line_without_noise_has_a_bounded_score(self) -> None:
        (found,) = detect(run(np.where(np.arange(24) < 12, 1.0, 2.0)))
        assert found.measures["z"] == 1e6


def additive(seed: int, n: int, factor: float = 1.0, sigma: float = 0.05) -> Run:
    """Return losses measured at each step with noise of constant size, a step at seven tenths."""
    rng = np.random.default_rng(seed)
    level = 0.3 + 2.0 * np.exp(-5.0 * np.arange(n) / n)
    val = np.where(np.arange(n) < 0.7 * n, level, factor * level)
    train, val = (level + sigma * rng.normal(size=n), val + sigma * rng.normal(size=n))
    return synth.run(synth.series(train), synth.series(val, Metric.VAL_LOSS))


@pytest.mark.parametrize("n", [300, 3000])
def test_noise_that_does_not_shrink_with_the_loss_is_no_step(n: int) -> None:
    """Each of thousands of places is tried, and the logarithm makes the noise of the end large."""
    found = [d for seed in range(20) for d in detect(additive(seed, n))]
    assert [d for d in found if d.shape is Shape.RISE] == []


@pytest.mark.parametrize("n", [300, 3000])
@pytest.mark.parametrize("factor", [1.4, 2.0, 4.0])
def test_a_step_among_many_evaluations_is_found(n: int, factor: float) -> None:
    for seed in range(5):
        (found,) = detect(additive(seed, n, factor, sigma=0.01))
        assert found.shape is Shape.RISE
        assert abs(found.first_step - 0.7 * n - 1) <= 1


def test_both_losses_are_needed() -> None:
    val = synth.series(valley(), Metric.VAL_LOSS)
    assert detect(synth.run(val)) == ()
    assert detect(synth.run(synth.series(TRAIN))) == ()


def test_an_empty_training_loss_is_none() -> None:
    """Validation is the judged loss then, and a step of it a finding of the excursions."""
    val = synth.series(np.where(np.arange(24) < 12, 1.0, 2.0), Metric.VAL_LOSS)
    assert detect(synth.run(synth.series(np.zeros(0)), val)) == ()


def test_hundreds_of_evaluations_are_thinned() -> None:
    found = detect(run(valley(n=1000, turn=500)))
    assert len(found) == 1


def standing(n: int = 30, turn: int = 8) -> np.ndarray:
    """Return a validation loss that falls to 1 and stays there."""
    return 1.0 + np.maximum(0.0, 1.0 - np.arange(n) / turn)


def test_validation_that_stands_still_while_training_falls() -> None:
    train = 0.3 + np.exp(-np.arange(1000) / 400.0)
    (found,) = detect(run(standing(), train))
    assert (found.shape, found.signal) == (Shape.LEFT_BEHIND, "val_loss")
    assert found.first_step == pytest.approx(300, abs=40)
    assert found.measures["best"] == pytest.approx(1.0)
    assert found.measures["train_fall_percent"] > 30.0


def test_it_may_stand_still_when_training_does() -> None:
    train = 0.3 + np.exp(-np.arange(1000) / 50.0)
    assert detect(run(standing(), train)) == ()


def test_it_must_stand_still_for_half_of_the_run() -> None:
    assert detect(run(standing(turn=20), 0.3 + np.exp(-np.arange(1000) / 400.0))) == ()


def random_validation(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """A validation loss that falls, steps, turns or stands still near what counts, and training."""
    n = int(rng.choice([7, 8, 9, 11, 16, 24, 40]))
    k = np.arange(n)
    turn = int(rng.integers(0, n))
    logs = np.interp(k, [0, turn], [0.5, 0.0]) if turn else np.zeros(n)
    end = float(rng.choice([0.0, 0.009, 0.011, 0.094, 0.097, 0.15, 0.4]))
    logs += end * np.maximum(0, k - turn) / max(1, n - 1 - turn)
    if rng.random() < 0.4:
        at = int(rng.integers(0, n))
        logs[at : at + int(rng.choice([2, 3, 30]))] += float(rng.choice([0.26, 0.27, 0.5, 1.0]))
        logs[at + 1 :] += float(rng.choice([0.0, 0.1, 0.2]))
    logs += float(rng.choice([0.0, 0.0, 0.005, 0.03])) * rng.normal(size=n)
    points = 10 * n + int(rng.choice([-5, 0, 7]))
    t = np.arange(points) / points
    train = 2.0 * np.exp(-float(rng.choice([0.0, 0.18, 0.19, 0.4, 1.0])) * t)
    train *= np.exp(float(rng.choice([0.0, 0.01, 0.2])) * rng.normal(size=points))
    if rng.random() < 0.1:
        train[-1] = float(rng.choice([np.nan, -1.0, 0.0]))
    return train, np.exp(logs)


@pytest.mark.parametrize("block", range(20))
def test_validation_is_told_of_as_the_definition_says(block: int) -> None:
    for seed in range(30 * block, 30 * block + 30):
        train, val = random_validation(np.random.default_rng(seed))
        beside = synth.series(val, Metric.VAL_LOSS, stride=10, first=10)
        found = detect(synth.run(synth.series(train), beside))
        expected = validation(train.tolist(), list(range(10, 10 * val.size + 1, 10)), val.tolist())
        assert_told(found, expected)


@pytest.mark.parametrize("seed", range(20))
def test_steps_in_long_logs_are_told_of_as_the_definition_says(seed: int) -> None:
    one = additive(seed, 280 + seed, (1.0, 1.5, 2.0)[seed % 3], sigma=(0.03, 0.05)[seed % 2])
    train, val = (series.values.tolist() for series in one.series)
    expected = validation(train, list(range(1, len(val) + 1)), val)
    assert_told(detect(one), expected)


def test_more_than_two_hundred_evaluations_are_thinned_evenly() -> None:
    """Of 401 from the best on every second is taken, so that what lies between has no say."""
    val = valley(n=440, turn=39)
    val[40::2] = 1.2
    train = 0.05 + 2.0 * np.exp(-np.arange(4400) / 900.0)
    beside = synth.series(val, Metric.VAL_LOSS, stride=10, first=10)
    found = detect(synth.run(synth.series(train), beside))
    steps = list(range(10, 4401, 10))
    assert_told(found, validation(train.tolist(), steps, val.tolist()))


@pytest.mark.parametrize(("height", "told"), [(1.3, 1), (float(np.nextafter(1.3, 1.0)), 0)])
def test_a_step_by_exactly_three_tenths(height: float, told: int) -> None:
    found = detect(run(np.where(np.arange(24) < 12, 1.0, height)))
    assert sum(one.shape is Shape.RISE for one in found) == told


@pytest.mark.parametrize(("share", "told"), [(0.61, 1), (0.59, 0)])
def test_three_fifths_of_a_step_come_at_once_and_stay(share: float, told: int) -> None:
    """The rest of it comes one evaluation later, or is gone soon."""
    at_once = np.where(np.arange(24) < 12, 0.0, 1.0)
    at_once[12] = share
    lasting = np.where(np.arange(24) < 12, 0.0, share)
    lasting[12:15] = 1.0
    for logs in (at_once, lasting):
        found = detect(run(np.exp(logs)))
        assert sum(one.shape is Shape.RISE for one in found) == told


@pytest.mark.parametrize(("height", "told"), [(1.1, 1), (float(np.nextafter(1.1, 1.0)), 0)])
def test_a_rise_by_exactly_a_tenth(height: float, told: int) -> None:
    found = detect(run(np.where(np.arange(20) < 10, 1.0, height)))
    assert sum(one.shape is Shape.SCISSORS for one in found) == told


def test_zeros_of_a_printed_training_loss_still_fall() -> None:
    """Four decimals end in 0.0000 again and again: the lowest of all, not the end of the course."""
    train = np.round(np.exp(-np.arange(1000) / 90.0), 4)
    assert np.count_nonzero(train == 0.0) > 50
    (found,) = worse(detect(run(valley(), train)))
    assert found.shape is Shape.SCISSORS
    assert worse(detect(run(valley(), train - 0.01))) == []


@pytest.mark.parametrize("seed", range(20))
def test_validation_that_ends_before_the_training_is_held_against_what_follows_its_best(
    seed: int,
) -> None:
    rng = np.random.default_rng(seed)
    course = 0.3 + 2.0 * np.exp(-np.arange(1000) / 250.0)
    train, val = (course * np.exp(rng.normal(0.0, s, 1000)) for s in (0.01, 0.03))
    ended = synth.run(synth.series(train), synth.series(val[:800], Metric.VAL_LOSS))
    assert not worse(detect(ended))


def test_a_training_loss_that_falls_only_after_the_last_evaluation_is_no_overfitting() -> None:
    train = np.where(np.arange(1000) < 600, 1.0, np.exp(-np.arange(-600, 400) / 100.0))
    val = synth.series(valley(n=20), Metric.VAL_LOSS, stride=30, first=30)
    assert not worse(detect(synth.run(synth.series(train), val)))
    falls = np.exp(-np.arange(1000) / 100.0)
    assert worse(detect(synth.run(synth.series(falls), val)))


@pytest.mark.parametrize("offset", [2.5, 10.0, 1e4])
def test_a_loss_below_zero_is_judged_by_differences(offset: float) -> None:
    (found,) = worse(detect(run(valley(rise=1.5) - offset, TRAIN - offset)))
    assert (found.shape, found.first_step) == (Shape.SCISSORS, 550)
    m = found.measures
    assert m["best"] == pytest.approx(1.0 - offset)
    assert m["last"] == pytest.approx(2.25 - offset)
    assert 60.0 < m["lost_percent"] < 80.0
    assert "rise_percent" not in m


@pytest.mark.parametrize("rise", [0.1, 0.3])
def test_below_zero_a_small_part_of_what_was_won_is_none(rise: float) -> None:
    assert not worse(detect(run(valley(rise=rise) - 3.0, TRAIN - 3.0)))
    assert not worse(detect(run(valley() - 3.0, TRAIN[::-1] - 3.0)))


class TestAlwaysWorse:
    TRAIN = (4.75, 4.16, 3.88, 3.66, 3.48)
    WORSE = (5.53, 5.86, 6.21, 6.32, 6.52)

    def found(self, train: tuple[float, ...], val: tuple[float, ...]) -> tuple[Detection, ...]:
        losses = synth.series(np.array(train))
        return detect(synth.run(losses, synth.series(np.array(val), Metric.VAL_LOSS)))

    def test_five_evaluations(self) -> None:
        (found,) = self.found(self.TRAIN, self.WORSE)
        assert (found.shape, found.first_step, found.last_step) == (Shape.SCISSORS, 1, 5)
        assert (found.measures["best"], found.measures["last"]) == pytest.approx((5.53, 6.52))
        assert found.measures["rise_percent"] == pytest.approx(100 * (6.52 / 5.53 - 1))

    def test_fewer_a_better_one_a_small_rise_or_training_that_is_worse_too(self) -> None:
        assert self.found(self.TRAIN[:4], self.WORSE[:4]) == ()
        assert self.found(self.TRAIN, (5.53, 5.86, 5.8, 6.32, 6.52)) == ()
        assert self.found(self.TRAIN, (5.53, 5.56, 5.6, 5.7, 5.8)) == ()
        assert self.found((4.75, 4.16, 4.2, 3.66, 3.48), self.WORSE) == ()
