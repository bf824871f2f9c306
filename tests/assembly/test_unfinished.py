"""That a training was not over where its log ends: by its course, or by its plan."""

from __future__ import annotations

import numpy as np
import pytest
import synth

from spikedoc.assembly.unfinished import unfinished
from spikedoc.model.metric import Metric
from spikedoc.model.run import Run

N = 300
STEPS = np.arange(N)
SCATTER = 1 + 0.02 * np.random.default_rng(0).standard_normal(N)
FALLING = (1 + 2.5 * np.exp(-STEPS / 250)) * SCATTER
SETTLED = (1 + 2.5 * np.exp(-STEPS / 30)) * SCATTER


def cosine(total: int) -> np.ndarray:
    return 1.5e-4 * (1 + np.cos(np.pi * STEPS / total))


def said(loss: np.ndarray, rate: np.ndarray | None, **config: float) -> list[str]:
    parts = [synth.series(loss)]
    parts += [] if rate is None else [synth.series(rate, Metric.LR)]
    run: Run = synth.run(*parts, config=config)
    assert run.main_loss is not None
    return [text.en for text in unfinished(run, run.main_loss)]


def test_a_tenth_of_the_schedule_and_a_loss_that_falls() -> None:
    (only,) = said(FALLING, cosine(3000))
    high, low = np.median(FALLING[150:225]), np.median(FALLING[225:])
    assert f"median {high:.4g} in the third quarter, {low:.4g} in the last" in only
    assert "at 98 % of its peak" in only  # (1 + cos(0.1 pi)) / 2 = .976


@pytest.mark.parametrize(
    ("loss", "rate"),
    [
        (SETTLED, cosine(3000)),  # it has learned what it will
        (FALLING, cosine(300)),  # the schedule is over
        (FALLING, cosine(1000)),  # at .79 of its peak: well on its way
        (FALLING, None),
        (FALLING, np.full(N, 3e-4)),  # a constant rate tells of no plan
        (FALLING[:59], cosine(3000)[:59]),
        (np.where(STEPS == 200, np.nan, FALLING), cosine(3000)),
        (FALLING - 3.0, cosine(3000)),
        (FALLING, np.zeros(N)),
        (2 + 1.5 * np.random.default_rng(1).uniform(-1, 1, N), cosine(3000)),  # noise
    ],
)
def test_nothing_is_said(loss: np.ndarray, rate: np.ndarray | None) -> None:
    assert said(loss, rate) == []


def test_planned_steps_say_it_with_their_number_and_alone() -> None:
    (only,) = said(FALLING, cosine(3000), total_steps=3000)
    assert "300 of the 3000 that were planned" in only
    assert said(SETTLED, cosine(3000), total_steps=300) == []
