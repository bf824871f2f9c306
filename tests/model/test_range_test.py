"""A rate that rises by a factor from end to end, told from every schedule."""

from __future__ import annotations

import numpy as np
import pytest
import synth

from spikedoc.model.metric import Metric
from spikedoc.model.range_test import swept_rates
from spikedoc.model.run import Run

N = 100
LOSS = np.linspace(2.0, 1.0, N)


def exponential(decades: float, n: int = N) -> np.ndarray:
    return np.asarray(1e-5 * 10.0 ** (decades * np.arange(n) / (n - 1)))


def run(lr: np.ndarray) -> Run:
    return synth.run(synth.series(LOSS[: lr.size]), synth.series(lr, Metric.LR))


def test_the_rates_with_their_losses() -> None:
    found = swept_rates(run(exponential(3.0)))
    assert found is not None
    assert found[0] == pytest.approx(exponential(3.0))
    assert found[1] == pytest.approx(LOSS)


@pytest.mark.parametrize(
    ("lr", "told"),
    [
        (exponential(2.001), True),
        (exponential(1.99), False),
        (exponential(3.0, 40), True),
        (exponential(3.0, 39), False),
        (exponential(3.0)[::-1], False),
        (np.linspace(1e-5, 1.0, N), False),
        (np.linspace(0.0, 1.0, N), False),
        (np.concatenate([exponential(3.0, 50), np.full(50, 1e-2)]), False),
    ],
)
def test_what_a_range_test_is(lr: np.ndarray, told: bool) -> None:
    assert (swept_rates(run(lr)) is not None) is told


def test_a_run_without_a_rate_or_with_a_broken_one_is_none() -> None:
    lr = exponential(3.0)
    lr[50] = np.nan
    assert swept_rates(run(lr)) is None
    assert swept_rates(synth.run(synth.series(LOSS))) is None
