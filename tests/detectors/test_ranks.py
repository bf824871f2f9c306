"""One rank that leaves the others."""

from __future__ import annotations

import math

import naive
import numpy as np
import pytest
import synth
from told import Told, assert_told

from spikedoc.detectors.ranks import _medians_of_others, detect
from spikedoc.model.anomaly import Shape
from spikedoc.model.metric import Metric
from spikedoc.model.run import Run, Series
from spikedoc.signal.excursion import find_excursions
from spikedoc.signal.view import view

N = 600


def rank(number: int, values: np.ndarray | None = None, metric: Metric = Metric.GRAD_NORM,
         first: int = 1) -> Series:  # fmt: skip
    given = np.exp(synth.noise("gauss", N, 0.15, number)) if values is None else values
    return synth.series(
        given, metric, name=f"{metric.value}-rank{number}", rank=number, first=first
    )


def spiky(number: int, at: int = 400, factor: float = 20.0) -> np.ndarray:
    values = np.exp(synth.noise("gauss", N, 0.15, number))
    values[at] *= factor
    return values


def run(*ranks: Series) -> Run:
    return synth.run(synth.series(synth.curve(n=N)), *ranks)


def test_the_rank_its_step_and_its_factor() -> None:
    (found,) = detect(run(rank(0), rank(1), rank(2, spiky(2)), rank(3)))
    assert (found.shape, found.signal, found.first_step) == (Shape.OUTLIER, "grad_norm-rank2", 401)
    assert found.measures["rank"] == 2.0
    assert found.measures["factor"] == pytest.approx(20.0, rel=0.5)


def test_losses_of_ranks_are_looked_at_too() -> None:
    parts = [rank(r, spiky(r) if r == 1 else None, Metric.LOSS) for r in range(3)]
    (found,) = detect(run(*parts))
    assert found.signal == "loss-rank1"


def test_all_ranks_together_are_no_outlier() -> None:
    assert detect(run(*(rank(r, spiky(r)) for r in range(4)))) == ()


def test_a_rank_that_always_differs_is_no_event() -> None:
    assert detect(run(rank(0), rank(1), rank(2, 5.0 * spiky(2, factor=1.0)))) == ()


def test_a_rank_is_no_outlier_because_the_others_dip() -> None:
    low = [np.exp(synth.noise("gauss", N, 0.15, r)) for r in range(4)]
    for r in (0, 1, 3):
        low[r][400] *= 0.02
    assert detect(run(*(rank(r, v) for r, v in enumerate(low)))) == ()


def test_less_than_threefold_is_none() -> None:
    assert detect(run(rank(0), rank(1), rank(2, spiky(2, factor=2.0)))) == ()


def test_at_a_spike_of_the_loss_one_look_is_enough() -> None:
    """In wild gradients sixfold is ordinary somewhere, but not where the loss spikes."""
    wild = [np.exp(synth.noise("laplace", N, 0.6, 40 + r)) for r in range(4)]
    wild[2][400] = 12.0 * np.median(wild[2])
    loss = synth.curve(n=N)
    quiet = synth.run(synth.series(loss), *(rank(r, v) for r, v in enumerate(wild)))
    loss = loss.copy()
    loss[400] *= 3.0
    spiked = synth.run(synth.series(loss), *(rank(r, v) for r, v in enumerate(wild)))
    assert 401 not in {d.first_step for d in detect(quiet)}
    assert ("grad_norm-rank2", 401) in {(d.signal, d.first_step) for d in detect(spiked)}


def test_ranks_are_compared_at_the_steps_they_share() -> None:
    late = rank(1, first=101)
    (found,) = detect(run(rank(0, spiky(0)), late, rank(2)))
    assert found.first_step == 401
    assert detect(run(rank(0, spiky(0)), rank(1, first=580), rank(2))) == ()


@pytest.mark.parametrize("value", [0.0, -1.0, np.nan])
def test_ranks_without_usable_values_are_left_alone(value: float) -> None:
    assert detect(run(rank(0, spiky(0)), rank(1, np.full(N, value)))) == ()


def test_one_rank_has_nobody_to_leave() -> None:
    assert detect(run(rank(0, spiky(0)))) == ()
    assert detect(run()) == ()


def test_without_a_loss_ranks_are_still_compared() -> None:
    assert len(detect(synth.run(rank(0), rank(1, spiky(1)), rank(2)))) == 1


@pytest.mark.parametrize("ranks", [2, 3, 4, 7, 8])
def test_the_median_of_the_others_is_that_of_the_rows_without_the_own(ranks: int) -> None:
    levels = np.round(synth.noise("gauss", ranks * 40, 1.0, ranks), 1).reshape(ranks, 40)
    for own, found in enumerate(_medians_of_others(levels)):
        assert np.array_equal(found, np.median(np.delete(levels, own, axis=0), axis=0))


def plain_outliers(rows: np.ndarray, spikes: list[int]) -> list[Told]:
    """Excursions of each rank above its own past and above the others, threefold; at a spike of the
    loss fivefold and four scatters."""
    told = []
    logs = np.log(rows).tolist()
    for number, row in enumerate(logs):
        others = [other for k, other in enumerate(logs) if k != number]
        usual = naive.median(row)
        apart = [
            min(v - naive.median([other[i] for other in others]), v - usual)
            for i, v in enumerate(row)
        ]
        rises = {
            e.peak: e.rise
            for e in find_excursions(np.array(apart)).accepted
            if e.rise >= math.log(3.0)
        }
        for at in spikes:
            height = apart[at] - naive.median(apart)
            if height >= max(math.log(5.0), 4.0 * naive.scatter(apart)):
                rises.setdefault(at, height)
        told += [
            Told(Shape.OUTLIER, (i + 1,) * 3, {"factor": math.exp(rise), "rank": float(number)})
            for i, rise in rises.items()
        ]
    return sorted(told, key=lambda one: (one.steps[0], one.measures["rank"]))


@pytest.mark.parametrize("block", range(10))
def test_outliers_are_those_of_the_definition(block: int) -> None:
    for seed in range(10 * block, 10 * block + 10):
        rng = np.random.default_rng(seed)
        n, count = int(rng.choice([60, 61, 300])), int(rng.choice([2, 3, 4]))
        noise = float(rng.choice([0.02, 0.1, 0.45]))
        rows = np.exp(noise * rng.normal(size=(count, n)))
        loss = 2.0 * np.exp(0.02 * rng.normal(size=n))
        at = int(rng.integers(n // 5, n))
        rows[0, at] *= float(rng.choice([2.9, 3.1, 4.9, 5.1, 8.0]))
        loss[at] *= float(rng.choice([1.0, 3.0]))
        spikes = [e.peak for e in find_excursions(view(np.arange(n), loss).judged).accepted]
        parts = [rank(r, row) for r, row in enumerate(rows)]
        found = detect(synth.run(synth.series(loss), *parts))
        expected = plain_outliers(rows, spikes)
        order = sorted(found, key=lambda one: (one.first_step, one.measures["rank"]))
        assert_told(order, expected)


def test_sixty_common_usable_points_are_needed() -> None:
    for n, told in ((59, 0), (60, 1)):
        rows = [np.exp(0.02 * synth.noise("gauss", n, 1.0, r)) for r in range(3)]
        rows[1][40] = 50.0
        loss = synth.curve("flat fine-tune", 200, sigma=0.001)
        loss[40] *= 9.0
        parts = [rank(r, row) for r, row in enumerate(rows)]
        assert len(detect(synth.run(synth.series(loss), *parts))) == told
        rows[2][3] = 0.0
        assert not detect(synth.run(synth.series(loss), *(rank(r, v) for r, v in enumerate(rows))))
