"""Whether anything was gained after a step."""

from __future__ import annotations

import numpy as np
import pytest
import synth

from spikedoc.model.metric import Metric
from spikedoc.model.run import Run
from spikedoc.model.standing import standing_since

POINTS = 200
STEP = 81
TIME = np.arange(POINTS) / POINTS
AT = TIME >= 0.4


def run(**parts: np.ndarray) -> Run:
    return synth.run(*(synth.series(v, Metric(m), tag=m) for m, v in parts.items()))


@pytest.mark.parametrize(
    ("loss", "stands", "nothing_won"),
    [
        (np.where(AT, 1.0, 2.0 - 2.5 * TIME), True, False),  # fell, and stands
        (2.0 - TIME, False, False),  # goes on falling
        (np.where(AT, 3.0, 2.0 - TIME), True, True),  # worse than at the start
        (np.full(POINTS, 2.0), True, True),
        (np.where(AT, 1.7, 2.0 - 2.5 * TIME), True, True),  # more than half of it lost again
    ],
)
def test_a_loss_that_stands_or_goes_on(loss: np.ndarray, stands: bool, nothing_won: bool) -> None:
    found = standing_since(run(loss=loss), STEP)
    assert found is not None
    assert (found.stands, found.nothing_won) == (stands, nothing_won)
    assert found.start == pytest.approx(float(loss[:5].max()), abs=0.01)
    assert found.end == pytest.approx(float(np.median(loss[-24:])))


@pytest.mark.parametrize(("gain", "stands"), [(0.09, True), (0.11, False)])
def test_a_tenth_of_all_that_was_gained_is_a_gain(gain: float, stands: bool) -> None:
    loss = np.where(AT, 1.0 + gain, 2.0)
    loss[TIME >= 0.7] = 1.0  # 1 in all
    found = standing_since(run(loss=loss), STEP)
    assert found is not None
    assert found.stands is stands


def test_noise_is_no_gain() -> None:
    noise = np.random.default_rng(3).normal(0.0, 1.0, POINTS)
    found = standing_since(run(reward=noise), STEP)
    assert found is not None
    assert found.stands
    assert found.nothing_won


def test_a_high_record_amid_noise_is_nothing_lost() -> None:
    """The reward was won early; of twenty noisy levels one is the highest."""
    kept = []
    for seed in range(40):
        rng = np.random.default_rng(seed)
        noise = rng.normal(0.0, 60.0, POINTS)
        for i in range(1, POINTS):
            noise[i] += 0.7 * noise[i - 1]
        found = standing_since(run(reward=-200.0 + 300.0 * np.minimum(1.0, 4 * TIME) + noise), STEP)
        assert found is not None
        kept.append(not found.nothing_won)
    assert np.mean(kept) > 0.97


def test_a_reward_that_was_lost_again_amid_noise_is_told() -> None:
    for seed in range(40):
        noise = np.random.default_rng(seed).normal(0.0, 30.0, POINTS)
        reward = -200.0 + np.where(AT, 60.0, 150.0 * np.minimum(1.0, 8 * TIME)) + noise
        reward[TIME > 0.6] -= 70.0
        found = standing_since(run(reward=reward), STEP)
        assert found is not None
        assert found.nothing_won


def test_a_reward_judges_before_all_else_and_upwards() -> None:
    falling = 2.0 - TIME
    found = standing_since(run(reward=falling, loss=falling), STEP)
    assert found is not None
    assert found.series.metric is Metric.REWARD
    assert found.stands
    assert (found.start, found.end) == (pytest.approx(2.0, abs=0.02), pytest.approx(1.06, abs=0.01))


def test_held_out_quality_judges_before_losses_and_a_codebook_never() -> None:
    parts = (
        synth.series(2.0 - TIME),
        synth.series(2.0 - TIME, Metric.VAL_METRIC, tag="valid_code_perplexity", name="codes"),
        synth.series(np.full(POINTS, 0.5), Metric.VAL_METRIC, tag="valid_accuracy", name="acc"),
    )
    found = standing_since(synth.run(*parts), STEP)
    assert found is not None
    assert found.series.name == "acc"
    assert found.stands
    without = standing_since(synth.run(*parts[:2]), STEP)
    assert without is not None
    assert without.series.metric is Metric.LOSS
    assert not without.stands


def test_a_quick_learner_won_before_the_step() -> None:
    reward = np.full(POINTS, 1.0)
    reward[:2] = 0.2
    found = standing_since(run(reward=reward), 4)
    assert found is not None
    assert found.stands
    assert not found.nothing_won


def test_one_low_reward_of_many_is_no_start() -> None:
    reward = 0.15 + np.random.default_rng(1).normal(0.0, 0.03, POINTS)
    reward[0] = -1.0
    found = standing_since(run(reward=reward), STEP)
    assert found is not None
    assert found.stands
    assert found.nothing_won
    few = standing_since(run(reward=reward[:99]), 41)  # of fewer it may be where the run began
    assert few is not None
    assert not few.nothing_won


def test_four_points_after_the_step_tell_nothing() -> None:
    loss = np.full(POINTS, 2.0)
    assert standing_since(run(loss=loss), POINTS - 3) is None
    assert standing_since(run(loss=loss), POINTS - 4) is not None
    assert standing_since(run(lr=loss), STEP) is None


def test_a_reward_at_its_maximum_throughout_cannot_tell() -> None:
    reward = np.full(POINTS, 500.0)
    assert standing_since(run(reward=reward), STEP) is None
    reward[7::10] = 480.0  # single episodes fall short
    assert standing_since(run(reward=reward), STEP) is None
    reward[: POINTS // 5] = 480.0
    assert standing_since(run(reward=reward), STEP) is not None


@pytest.mark.parametrize(("below", "told"), [(2.0, False), (20.0, True)])
def test_nor_one_whose_means_all_lie_just_below_it(below: float, told: bool) -> None:
    short = np.abs(np.random.default_rng(5).normal(0.0, below, POINTS))
    assert (standing_since(run(reward=500.0 - short), STEP) is not None) is told


@pytest.mark.parametrize("level", [0.0, -200.0])
def test_a_reward_never_above_nothing_was_never_won(level: float) -> None:
    found = standing_since(run(reward=np.full(POINTS, level)), STEP)
    assert found is not None
    assert found.nothing_won


@pytest.mark.parametrize(("until", "stands", "end"), [(161, False, 1.2), (np.inf, True, 2.0)])
def test_what_was_won_before_it_was_lost(until: float, stands: bool, end: float) -> None:
    loss = np.where(TIME >= 0.8, 2.0, 2.0 - TIME)
    found = standing_since(run(loss=loss), STEP, until)
    assert found is not None
    assert (found.stands, found.end) == (stands, pytest.approx(end, abs=0.05))
