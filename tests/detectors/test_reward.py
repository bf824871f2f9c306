"""Groups whose rewards are all alike give no gradient."""

from __future__ import annotations

import numpy as np
import pytest
import synth

from spikedoc.detectors.reward import detect
from spikedoc.model.anomaly import Shape
from spikedoc.model.metric import Metric
from spikedoc.model.run import Run


def run(
    spread: list[float],
    gradient: list[float],
    reward: list[float] | None = None,
    tag: str = "reward_std",
) -> Run:
    parts = [
        synth.series(np.array(spread), Metric.OTHER, tag=tag, name=f"other:{tag}"),
        synth.series(np.array(gradient), Metric.GRAD_NORM),
    ]
    if reward is not None:
        parts.append(synth.series(np.array(reward), Metric.REWARD))
    return synth.run(*parts)


@pytest.mark.parametrize(
    ("tag", "value"),
    [("reward_std", 0.0), ("train/reward_std", 0.0), ("frac_reward_zero_std", 1.0)],
)
def test_one_record_is_enough(tag: str, value: float) -> None:
    (found,) = detect(run([value], [0.0], tag=tag))
    assert found.shape is Shape.NO_SPREAD
    assert found.signal == "grad_norm"
    assert found.measures == {"points": 1.0, "whole": 1.0}


def test_a_signal_that_died_begins_where_the_gradient_ends() -> None:
    (found,) = detect(run([0.5] * 6 + [0.0] * 3, [0.1] * 6 + [0.0] * 3, [0.2] * 9))
    assert (found.first_step, found.measures["whole"]) == (7, 0.0)


@pytest.mark.parametrize(
    ("spread", "gradient", "reward"),
    [
        ([0.4], [0.0], None),  # rewards differ: something else is wrong
        ([0.0], [0.2], None),  # a KL term still teaches
        ([0.5] * 6 + [0.0] * 3, [0.1] * 6 + [0.0] * 3, [0.1] * 5 + [1.0] * 4),  # solved
    ],
)
def test_what_is_no_dead_signal(
    spread: list[float], gradient: list[float], reward: list[float] | None
) -> None:
    assert detect(run(spread, gradient, reward)) == ()


def test_the_spread_over_all_rewards_is_another_number() -> None:
    assert detect(run([0.0], [0.0], tag="rewards/format/std")) == ()
