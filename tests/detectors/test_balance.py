"""A generator that loses to its discriminator."""

from __future__ import annotations

import numpy as np
import pytest
import synth

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


def test_several_losses_of_a_side_say_nothing() -> None:
    more = synth.series(STANDS, Metric.LOSS_COMPONENT, tag="gen/feature", name="gen/feature")
    assert detect(synth.run(*run(RISES, FALLS).series, more)) == ()


@pytest.mark.parametrize("bad", [-1.0, 0.0])
def test_losses_that_cannot_be_judged(bad: float) -> None:
    assert detect(run(np.where(T < 0.5, RISES, bad), FALLS)) == ()
    assert detect(synth.loss_run(RISES)) == ()
