from __future__ import annotations

import numpy as np
import pytest
import synth

from spikedoc.detectors.cold_update import detect
from spikedoc.model.anomaly import Shape
from spikedoc.model.metric import Metric
from spikedoc.model.run import Restart, Run

AT, LENGTH = 600, 1200
DECAY = 3.4 * 0.78 ** np.arange(15)


def update(seed: int, excess: np.ndarray, noise: float = 0.05, at: int = AT) -> np.ndarray:
    """Return an update norm of 0.01 that `excess` (in multiples of it) is added to."""
    values = 0.01 * np.exp(noise * np.random.default_rng(seed).standard_normal(LENGTH))
    values[at : at + excess.size] *= 1.0 + excess
    return values


def run(values: np.ndarray, **others: np.ndarray) -> Run:
    beside = [synth.series(other, Metric(name)) for name, other in others.items()]
    return synth.run(synth.series(values, Metric.UPDATE_NORM), *beside)


@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize("noise", [0.02, 0.06])
@pytest.mark.parametrize("rate", [0.7, 0.75, 0.8])
def test_a_cold_start_that_no_restart_marks(seed: int, noise: float, rate: float) -> None:
    (found,) = detect(run(update(seed, 3.4 * rate ** np.arange(25), noise)))
    assert found.shape is Shape.DECAY_TAIL
    assert found.measures["factor"] == pytest.approx(4.4, rel=0.2)
    assert found.measures["unmarked"] == 1.0


@pytest.mark.parametrize(
    "excess",
    [
        np.full(1, 3.4),  # one long step
        np.full(600, 3.4),  # another level
        0.8 * 0.78 ** np.arange(15),  # hardly more than usual
        30.0 * 0.9 ** np.arange(40),  # what a broken batch does
    ],
)
def test_other_jumps_are_none(excess: np.ndarray) -> None:
    assert detect(run(update(1, excess))) == ()


@pytest.mark.parametrize("name", ["grad_norm", "lr", "loss"])
def test_what_moves_beside_it_explains_it(name: str) -> None:
    still = np.ones(LENGTH)
    moved = still.copy()
    moved[AT : AT + 2] = 4.0
    values = update(2, DECAY)
    assert len(detect(run(values, **{name: still}))) == 1
    assert detect(run(values, **{name: moved})) == ()


def test_a_marked_restart_is_told_by_another_detector() -> None:
    marked = (Restart(AT + 1, AT, "new-file"),)
    series = synth.series(update(3, DECAY), Metric.UPDATE_NORM)
    assert detect(synth.run(series, restarts=marked)) == ()


def test_what_comes_again_and_again_is_no_loss_of_state() -> None:
    values = update(4, DECAY, at=300)
    for at in (500, 700, 900):
        values[at : at + DECAY.size] *= 1.0 + DECAY
    assert detect(run(values)) == ()


@pytest.mark.parametrize("seed", range(10))
def test_noise_holds_none(seed: int) -> None:
    values = 0.01 * np.exp(0.3 * np.random.default_rng(seed).standard_normal(LENGTH))
    assert detect(run(values)) == ()
