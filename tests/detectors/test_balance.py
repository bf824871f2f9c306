"""A generator that loses to its discriminator."""

from __future__ import annotations

import math

import naive
import numpy as np
import pytest
import synth
from told import Told, assert_told

from spikedoc.detectors.balance import detect
from spikedoc.model.anomaly import Shape
from spikedoc.model.metric import Metric
from spikedoc.model.run import Run

N = 400
T = np.arange(N) / N


def run(generator: np.ndarray, discriminator: np.ndarray, ours: str = "gen/loss",
        theirs: str = "dis/loss", seed: int = 0) -> Run:  # fmt: skip
    parts = [
        synth.series(values * np.exp(synth.noise("gauss", N, 0.05, seed + i)),
                     Metric.LOSS_COMPONENT, tag=tag, name=tag)
        for i, (values, tag) in enumerate([(generator, ours), (discriminator, theirs)])
    ]  # fmt: skip
    return synth.run(*parts)


RISES = 1.2 * np.exp(0.8 * np.maximum(0.0, T - 0.2) / 0.8)
FALLS = 1.2 * np.exp(-0.7 * np.maximum(0.0, T - 0.2) / 0.8)
STANDS = np.full(N, 1.2)


@pytest.mark.parametrize(
    ("ours", "theirs"), [("gen/loss", "dis/loss"), ("Generator loss", "Discriminator loss")]
)
def test_one_climbs_while_the_other_falls(ours: str, theirs: str) -> None:
    (found,) = detect(run(RISES, FALLS, ours, theirs))
    assert (found.shape, found.signal, found.last_step) == (Shape.RAMP, ours, N)
    assert found.first_step == pytest.approx(0.2 * N, abs=0.1 * N)
    assert found.measures["factor"] == pytest.approx(np.exp(0.8), rel=0.15)
    assert found.measures["other_factor"] == pytest.approx(np.exp(-0.7), rel=0.2)


@pytest.mark.parametrize(
    ("generator", "discriminator"),
    [
        (RISES, STANDS),  # the generator's loss alone says nothing
        (STANDS, FALLS),
        (FALLS, RISES),
        (np.where(T < 0.6, RISES, 1.2), FALLS),  # came back
        (np.where(T < 0.9, 1.2, 3.0), FALLS),  # too short
    ],
)
def test_anything_else_is_their_game(generator: np.ndarray, discriminator: np.ndarray) -> None:
    assert detect(run(generator, discriminator)) == ()


@pytest.mark.parametrize("seed", range(4))
def test_it_begins_where_the_level_ends_and_not_at_its_lowest_block(seed: int) -> None:
    since = np.maximum(0.0, T - 0.4)
    (found,) = detect(run(1.5 + 12.0 * since, 1.2 * np.exp(-8.0 * since), seed=seed))
    assert 0.35 * N <= found.first_step <= 0.45 * N


def test_several_losses_of_a_side_say_nothing() -> None:
    more = synth.series(STANDS, Metric.LOSS_COMPONENT, tag="gen/feature", name="gen/feature")
    assert detect(synth.run(*run(RISES, FALLS).series, more)) == ()


@pytest.mark.parametrize("bad", [-1.0, 0.0])
def test_losses_that_cannot_be_judged(bad: float) -> None:
    assert detect(run(np.where(T < 0.5, RISES, bad), FALLS)) == ()
    assert detect(synth.loss_run(RISES)) == ()


def plain_balance(ours: list[float], theirs: list[float]) -> list[Told]:
    """A climb by half from the lowest of forty blocks, to the end and for a third of the run,
    beside a fall by a quarter since."""
    n = len(ours)
    if min(n, len(theirs)) < 100 or min(ours + theirs) <= 0:
        return []
    width = n // 40
    level = naive.block_medians([math.log(v) for v in ours], width)
    skip = int(0.1 * len(level))
    lowest = min(range(skip, len(level)), key=level.__getitem__)
    low, high = level[lowest], max(level[lowest:])
    lowest = max(k for k in range(lowest, len(level)) if level[k] <= low + 0.1 * (high - low))
    part = level[lowest:]
    rise = max(part) - part[0]
    if rise < math.log(1.5) or len(part) < len(level) / 3 or naive.kendall_tau(part) < 0.8:
        return []
    if part.index(max(part)) < 0.9 * len(part):
        return []
    first = lowest * width
    rest = [math.log(v) for v in theirs[first:]]
    beside = naive.block_medians(rest, max(1, len(rest) // 40))
    if len(beside) < 20 or naive.kendall_tau(beside) > -0.6:
        return []
    fall = beside[0] - beside[-1]
    if fall < math.log(4.0 / 3.0):
        return []
    measures = {"rise": rise, "before": math.exp(part[0]), "after": math.exp(part[-1])}
    measures |= {"factor": math.exp(rise), "other_factor": math.exp(-fall)}
    return [Told(Shape.RAMP, (first + 1, n, n), measures)]


@pytest.mark.parametrize("block", range(10))
def test_balance_is_lost_where_the_definition_says(block: int) -> None:
    for seed in range(30 * block, 30 * block + 30):
        rng = np.random.default_rng(seed)
        n = int(rng.choice([99, 100, 139, 240]))
        t, begin = np.arange(n) / n, float(rng.choice([0.0, 0.05, 0.3, 0.64, 0.7]))
        since = np.maximum(0.0, t - begin) / (1 - begin)
        ours = float(rng.choice([0.4, 0.42, 0.9])) * since + 0.2 * (t < begin) * (begin - t)
        theirs = -float(rng.choice([0.28, 0.31, 0.7])) * since
        if seed % 4 == 0:
            ours[t > float(rng.choice([0.88, 0.95]))] -= 0.1
        logs = np.stack([ours, theirs])
        logs += rng.choice([0.0, 0.03, 0.1], (2, 1)) * rng.normal(size=(2, n))
        values = np.exp(logs) - (0.9 if seed % 11 == 0 else 0.0)
        parts = [
            synth.series(row, Metric.LOSS_COMPONENT, tag=tag, name=tag)
            for row, tag in zip(values, ("gen/loss", "dis/loss"), strict=True)
        ]
        expected = plain_balance(values[0].tolist(), values[1].tolist())
        assert_told(detect(synth.run(*parts)), expected)
