"""One rank that leaves the others."""

from __future__ import annotations

import numpy as np
import pytest
import synth

from spikedoc.detectors.ranks import _medians_of_others, detect
from spikedoc.model.anomaly import Shape
from spikedoc.model.metric import Metric
from spikedoc.model.run import Run, Series

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
