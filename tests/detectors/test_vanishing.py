"""A gradient norm that dies away beside a loss that stands still."""

from __future__ import annotations

import naive
import numpy as np
import pytest
import synth
from plain.levels import levels
from told import Told, assert_told

from spikedoc.detectors.vanishing import detect
from spikedoc.model.anomaly import Shape
from spikedoc.model.metric import Metric
from spikedoc.model.run import Run

N = 1000


def run(gradient: np.ndarray, loss: np.ndarray | None = None) -> Run:
    return synth.run(
        synth.series(synth.curve(n=N) if loss is None else loss),
        synth.series(gradient, Metric.GRAD_NORM),
    )


def dying(factor: float, at: int = 500) -> np.ndarray:
    values = np.exp(synth.noise("gauss", N, 0.15, 0))
    values[at:] *= factor
    return values


def test_where_it_died_and_by_how_much() -> None:
    (found,) = detect(run(dying(1e-6)))
    assert (found.shape, found.signal) == (Shape.VANISHING, "grad_norm")
    assert (found.first_step, found.last_step) == (501, N)
    m = found.measures
    assert m["before"] == pytest.approx(1.0, abs=0.1)
    assert m["factor"] == pytest.approx(1e-6, rel=0.1)
    assert m["after"] == pytest.approx(m["before"] * m["factor"])


def test_nothing_at_all_from_the_start() -> None:
    (found,) = detect(run(np.zeros(N)))
    assert (found.first_step, found.measures["factor"]) == (1, 0.0)


@pytest.mark.parametrize("factor", [1.0, 0.1, 0.01])
def test_smaller_gradients_are_not_gone(factor: float) -> None:
    assert detect(run(dying(factor))) == ()


def test_a_converged_model_has_small_gradients_too() -> None:
    assert detect(run(dying(1e-6), np.exp(-np.arange(N) / 100.0))) == ()


def test_gradients_that_came_back_are_not_gone() -> None:
    gradient = dying(1.0)
    gradient[400:600] *= 1e-6
    assert detect(run(gradient)) == ()


def test_both_series_are_needed_and_long_enough() -> None:
    gone = np.zeros(49)
    assert detect(run(gone)) == ()
    assert detect(run(np.zeros(N), np.ones(49))) == ()
    assert detect(synth.run(synth.series(np.zeros(N), Metric.GRAD_NORM))) == ()
    assert detect(synth.run(synth.series(np.ones(N)))) == ()


def test_what_goes_below_zero_is_no_norm() -> None:
    logarithms = np.log(dying(1e-6))
    assert detect(run(logarithms)) == ()
    sentinel = dying(1.0)
    sentinel[200:] = -1.0
    assert detect(run(sentinel)) == ()


def plain_vanishing(gradient: list[float], loss: list[float]) -> list[Told]:
    """The last fifth at a thousandth of the first, or below 1e-7, beside a loss above a tenth."""
    n = len(gradient)
    if n < 50 or len(loss) < 50 or min(gradient) < 0:
        return []
    early, late = naive.median(gradient[: n // 5]), naive.median(gradient[-(n // 5) :])
    gone = late < 1e-7 or (early > 0 and late <= 1e-3 * early)
    level = levels(loss)
    if not gone or level.end <= 0.1 * level.start:
        return []
    limit = max(1e-3 * early, 1e-7)
    first = min(n - 1, max((i + 1 for i, v in enumerate(gradient) if v > limit), default=0)) + 1
    measures = {"before": early, "after": late, "factor": late / early if early > 0 else 0.0}
    return [Told(Shape.VANISHING, (first, n, n), measures)]


@pytest.mark.parametrize("block", range(10))
def test_gradients_vanish_where_the_definition_says(block: int) -> None:
    for seed in range(30 * block, 30 * block + 30):
        rng = np.random.default_rng(seed)
        n, m = int(rng.choice([49, 50, 54, 120])), int(rng.choice([49, 50, 100]))
        early = float(rng.choice([0.0, 1e-5, 1.0, 4.0]))
        late = float(rng.choice([0.99e-7, 1e-7, 1.1e-7, 0.99e-3, 1e-3, 1.1e-3, 0.1]))
        begin = int(n * rng.choice([0.0, 0.2, 0.5, 0.85]))
        gradient = np.where(np.arange(n) < begin, early, late if early < 1 else late * early)
        gradient[int(rng.integers(0, n))] = float(rng.choice([early, 1.0, late]))
        gradient[0] = float(rng.choice([early, early, -1.0]))
        loss = np.linspace(1.0, float(rng.choice([0.1, 0.099, 0.5])), m)
        loss[-m // 3 :] = loss[-1]
        loss[:10] = 1.0
        assert_told(detect(run(gradient, loss)), plain_vanishing(gradient.tolist(), loss.tolist()))
