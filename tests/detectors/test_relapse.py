"""A loss thrown back above its own start."""

from __future__ import annotations

import numpy as np
import pytest
import synth

from spikedoc.detectors.relapse import detect
from spikedoc.model.anomaly import Shape

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
