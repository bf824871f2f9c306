"""A loss thrown back above its own start."""

from __future__ import annotations

import math
from itertools import pairwise

import naive
import numpy as np
import pytest
import synth
from plain.levels import levels
from told import Told, assert_told

from spikedoc.detectors.relapse import detect
from spikedoc.model.anomaly import Shape
from spikedoc.signal.tail import tail_level
from spikedoc.signal.view import view

N = 400


def learned(*relapses: int, height: float = 3.0) -> np.ndarray:
    """A loss that falls from 2 to 0.5 with little noise, and is thrown up at some points."""
    values = 0.5 + 1.5 * np.exp(-np.arange(N) / 40.0)
    values *= np.exp(synth.noise("gauss", N, 0.02, 3))
    values[list(relapses)] = height
    return values


def test_twice_above_the_start_after_having_learned() -> None:
    (found,) = detect(synth.loss_run(learned(150, 220)))
    assert found.shape is Shape.ABOVE_START
    assert (found.first_step, found.last_step) == (151, 221)
    assert found.measures["count"] == 2.0
    assert found.measures["factor"] == pytest.approx(3.0 / 2.0, rel=0.1)


@pytest.mark.parametrize(
    "values",
    [
        learned(),  # never
        learned(150),  # once
        learned(150, 151, 152),  # once, for three points
        learned(150, 220, height=1.9),  # not above the start
        learned(5, 9),  # before it had learned
        np.exp(synth.noise("gauss", N, 0.6, 4)),  # noise alone
        -learned(150, 220),
    ],
)
def test_what_is_no_relapse(values: np.ndarray) -> None:
    assert detect(synth.loss_run(values)) == ()


def plain_relapse(values: list[float], judged: list[float]) -> list[Told]:
    """Twice a fifth above the start after it had halved, where the noise does not reach."""
    n = len(values)
    if n < 60 or min(values) <= 0:
        return []
    start = levels(values).start
    smooth = naive.rolling_median(values, 5)
    since = next((i + 1 for i in range(n) if smooth[i] <= 0.5 * start), n)
    rest = judged[since:]
    if len(rest) < 20:
        return []
    ceiling = 1.2 * max(start, *values[:5])
    level = naive.rolling_median(rest, max(11, len(rest) // 40))
    changes = [b - a for a, b in pairwise(rest)]
    third, longer = divmod(len(changes), 3)
    borders = [k * third + min(k, longer) for k in range(4)]
    noise = max(naive.scatter(changes[a:b]) for a, b in pairwise(borders)) / 2**0.5
    reach = 0.0
    if noise > 0:
        scores = [
            (v - m) / noise for v, m in zip(rest, level, strict=True) if v <= math.log(ceiling)
        ]
        reach = max(6.0, tail_level(np.array(scores))) * noise
    index = [
        since + i
        for i, m in enumerate(level)
        if values[since + i] > ceiling and (not noise or math.log(ceiling) - m >= reach)
    ]
    times = sum(i - 1 not in index for i in index)
    if times < 2 or (len(index) >= 0.03 * (n - since) and len(index) <= 1.5 * times):
        return []
    peak = max(index, key=values.__getitem__)
    measures = {
        "first": start,
        "peak": values[peak],
        "factor": values[peak] / start,
        "count": float(times),
    }
    return [Told(Shape.ABOVE_START, (index[0] + 1, peak + 1, index[-1] + 1), measures)]


@pytest.mark.parametrize("block", range(15))
def test_relapses_are_those_of_the_definition(block: int) -> None:
    for seed in range(30 * block, 30 * block + 30):
        rng = np.random.default_rng(seed)
        n = int(rng.choice([59, 60, 90, 200, 480]))
        low = float(rng.choice([0.49, 0.5, 0.51, 0.3, 0.1]))
        values = low + (1.0 - low) * np.exp(-np.arange(n) / float(rng.choice([3.0, 0.1 * n])))
        values[:6] = 1.0
        values *= np.exp(float(rng.choice([0.0, 0.01, 0.1, 0.25])) * rng.normal(size=n))
        for at in rng.integers(0, n, int(rng.integers(0, 8))):
            values[at : at + int(rng.choice([1, 1, 2, 3]))] = float(
                rng.choice([1.19, 1.2, 1.21, 3.0])
            )
        if seed % 5 == 0:
            values[1:5] = float(rng.choice([1.1, 2.0]))
        judged = view(np.arange(n), values).judged.tolist()
        assert_told(detect(synth.loss_run(values)), plain_relapse(values.tolist(), judged))
