"""Validation thrown to and fro beside a calm training, and what may swing in health."""

from __future__ import annotations

import numpy as np
import pytest
import synth

from spikedoc.detectors.val_swings import detect
from spikedoc.model.anomaly import Shape
from spikedoc.model.metric import Metric
from spikedoc.model.run import Run

FALLS = np.array([1.2, 0.76, 0.56, 0.44, 0.38, 0.3, 0.28, 0.26, 0.21, 0.2])
SWINGS = np.array([6.4, 1.5, 3.6, 4.9, 1.0, 3.3, 2.3, 1.2, 3.2, 3.0])
ANSWERS = np.array([0.39, 0.56, 0.56, 0.26, 0.68, 0.33, 0.46, 0.63, 0.5, 0.4])


def evaluated(train: np.ndarray, val: np.ndarray, shares: np.ndarray | None = None) -> Run:
    parts = [synth.series(train), synth.series(val, Metric.VAL_LOSS, tag="val_loss")]
    if shares is not None:
        parts.append(synth.series(shares, Metric.VAL_METRIC, tag="val_acc", name="val:acc"))
    return synth.run(*parts)


@pytest.mark.parametrize("shares", [None, ANSWERS, 100 * ANSWERS])
def test_statistics_that_do_not_fit(shares: np.ndarray | None) -> None:
    (found,) = detect(evaluated(FALLS, SWINGS, shares))
    assert (found.shape, found.signal) == (Shape.GAP, "val_loss")
    assert (found.first_step, found.last_step) == (1, 10)
    assert (found.measures["best"], found.measures["train"]) == (1.0, 0.2)
    scatter = float(np.std(np.diff(np.log(SWINGS)))) / np.sqrt(2.0)
    assert found.measures["swings"] == pytest.approx(100 * scatter)


@pytest.mark.parametrize(
    "run",
    [
        evaluated(FALLS[:7], SWINGS[:7]),  # too few
        evaluated(SWINGS, SWINGS),  # training is thrown about as well
        evaluated(FALLS, 0.3 * SWINGS),  # not far above
        evaluated(FALLS, 3.0 + 0.1 * SWINGS),  # calm, whatever the level
        evaluated(FALLS, SWINGS, 0.5 + 0.02 * ANSWERS),  # the answers keep their level
        evaluated(np.full(10, 0.5), SWINGS),  # nothing is learned
        evaluated(FALLS, np.where(SWINGS == 1.0, np.nan, SWINGS)),  # another finding
        evaluated(FALLS, -SWINGS),
        evaluated(FALLS, SWINGS[:0]),
        synth.run(),
    ],
)
def test_what_may_swing(run: Run) -> None:
    assert detect(run) == ()
