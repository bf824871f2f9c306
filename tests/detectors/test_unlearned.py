"""A loss that had learned something, and ends where it began."""

from __future__ import annotations

import numpy as np
import pytest
import synth

from spikedoc.detectors.unlearned import detect
from spikedoc.model.anomaly import Shape


def valley(n: int = 200, low: float = 1.4, end: float = 2.5, noise: float = 0.1) -> np.ndarray:
    """Return a loss that falls from 2.3 to `low` within a tenth and stands at `end` after 30 %."""
    place = np.arange(n) / n
    level = np.interp(place, [0.0, 0.02, 0.1, 0.15, 0.3, 1.0], [2.3, 2.3, low, low, end, end])
    return level * np.exp(noise * np.random.default_rng(3).standard_normal(n))


def test_it_is_told_from_where_the_way_back_is_half_done() -> None:
    (found,) = detect(synth.loss_run(valley()))
    assert (found.shape, found.signal, found.last_step) == (Shape.END_ABOVE_BEST, "loss", 200)
    assert 30 <= found.first_step <= 60
    assert found.measures["rise"] == pytest.approx(np.log(2.5 / 1.4), abs=0.1)
    assert found.measures["index"] == found.first_step - 1
    assert found.measures["z"] >= 5.0


@pytest.mark.parametrize(
    "values",
    [
        valley(end=1.9),  # most of what was learned is still there
        valley(low=2.1),  # nothing was learned
        valley(noise=0.6),  # nothing that the noise would not make
        valley(n=59),
        valley(n=2001),
        np.concatenate([valley(), np.full(60, 1.4)]),  # it learned again
    ],
    ids=["in part", "too little", "noise", "short", "long", "back"],
)
def test_other_courses_are_none(values: np.ndarray) -> None:
    assert detect(synth.loss_run(values)) == ()


def test_noise_with_a_memory_makes_valleys_by_itself() -> None:
    rng = np.random.default_rng(11)
    alarms = 0
    for _ in range(200):
        wander = np.zeros(300)
        for i, push in enumerate(rng.standard_normal(299), start=1):
            wander[i] = 0.9 * wander[i - 1] + 0.44 * push
        alarms += bool(detect(synth.loss_run(2.0 * np.exp(0.2 * wander))))
    assert alarms <= 2


def test_without_a_loss_nothing_is_told() -> None:
    assert detect(synth.run()) == ()
