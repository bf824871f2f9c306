"""Groups of samples whose rewards no longer differ, while not all of them are right."""

from __future__ import annotations

import numpy as np
import pytest
import synth

from spikedoc.model.group_spread import lost_its_spread
from spikedoc.model.metric import Metric
from spikedoc.model.run import Run, Series

POINTS = 200
NOISE = np.random.default_rng(5).standard_normal(POINTS)
AT = np.arange(POINTS) >= 100
STUCK = 0.4 + 0.02 * NOISE
SPREAD = np.where(AT, 0.002, 0.3)
ALIKE = np.where(AT, 0.98, 0.1)


def run(reward: np.ndarray, tag: str, values: np.ndarray) -> Run:
    beside: Series = synth.series(values, Metric.OTHER, tag=tag, name=f"other:{tag}")
    return synth.run(synth.series(reward, Metric.REWARD), beside)


@pytest.mark.parametrize(
    ("reward", "tag", "values", "lost"),
    [
        (STUCK, "train/frac_reward_zero_std", ALIKE, True),
        (STUCK, "frac_reward_zero_std", np.where(AT, 0.89, 0.1), False),
        (STUCK, "reward_std", SPREAD, True),
        (STUCK, "train/reward_std", np.where(AT, 0.016, 0.3), False),
        (STUCK, "reward_std", np.where(AT & (np.arange(POINTS) < 150), 0.002, 0.3), False),
        (STUCK, "reward_std", np.full(POINTS, np.nan), False),
        (STUCK, "entropy", ALIKE, False),
        (np.minimum(1.0, 0.99 + 0.01 * NOISE), "reward_std", SPREAD, False),  # solved
        (STUCK - 1.0, "reward_std", SPREAD, False),  # penalties: the best is not known
    ],
)
def test_alike_and_not_solved(reward: np.ndarray, tag: str, values: np.ndarray, lost: bool) -> None:
    assert lost_its_spread(run(reward, tag, values)) is lost


def test_without_a_reward_nothing_is_said() -> None:
    assert not lost_its_spread(synth.run(synth.series(SPREAD, Metric.OTHER, tag="reward_std")))
