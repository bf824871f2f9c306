"""Groups whose rewards are all alike give no gradient."""

from __future__ import annotations

import math

import numpy as np
import pytest
import synth
from told import Told, assert_told

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


def plain_no_spread(
    spread: list[float], gradient: list[float], reward: list[float] | None
) -> list[Told]:
    """No spread and no gradient in the last third, and a reward that has not come to 95 %."""
    late, ends = max(1, len(spread) // 3), max(1, len(gradient) // 3)
    if any(v != 0.0 for v in spread[-late:]) or any(v != 0.0 for v in gradient[-ends:]):
        return []
    known = [v for v in reward or [] if math.isfinite(v)]
    spread_of = max(known) - min(known) if len(known) >= 5 else 0.0
    if spread_of > 0 and known[-1] >= min(known) + 0.95 * spread_of:
        return []
    whole = not any(v != 0.0 for v in gradient)
    first = 1 if whole else len(gradient) - ends + 1
    measures = {"points": float(ends), "whole": float(whole)}
    return [Told(Shape.NO_SPREAD, (first, first, len(spread)), measures)]


@pytest.mark.parametrize("block", range(10))
def test_a_dead_signal_is_that_of_the_definition(block: int) -> None:
    for seed in range(60 * block, 60 * block + 60):
        rng = np.random.default_rng(seed)
        series = []
        for _ in range(2):
            n = int(rng.integers(1, 12))
            series.append(np.where(np.arange(n) < int(rng.integers(0, n + 1)) - n // 3, 0.5, 0.0))
        n = int(rng.choice([4, 5, 9]))
        reward = rng.choice([0.0, 0.5, 1.0, np.nan], n, p=[0.3, 0.3, 0.3, 0.1])
        reward[-1] = float(rng.choice([0.94, 0.95, 0.96, 0.0]))
        spread, gradient = (one.tolist() for one in series)
        for kept in (None, reward.tolist()):
            found = detect(run(spread, gradient, kept))
            assert_told(found, plain_no_spread(spread, gradient, kept))
