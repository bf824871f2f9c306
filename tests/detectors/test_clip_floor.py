"""A loss at minus the logarithm of the smallest float, and losses that are merely large."""

from __future__ import annotations

import math

import numpy as np
import pytest
import synth
from told import Told, assert_told

from spikedoc.detectors.clip_floor import detect
from spikedoc.model.anomaly import Shape
from spikedoc.model.metric import Metric


def test_a_loss_that_goes_to_the_floor_and_stays() -> None:
    (found,) = detect(synth.loss_run(np.array([6.9, 7.2, 87.3365, 87.3365, 87.3365])))
    assert found.shape is Shape.CLIP_FLOOR
    assert found.first_step == 2 + synth.loss_run(np.zeros(1)).first_step
    assert (found.measures["points"], found.measures["before"]) == (3.0, 7.2)


def test_the_floor_is_the_smallest_normal_float() -> None:
    level = -float(np.log(np.finfo(np.float32).tiny))
    (found,) = detect(synth.loss_run(np.full(2, level)))
    assert found.measures["from_start"] == 1.0


def test_a_term_behind_a_weighted_total() -> None:
    total = synth.series(np.full(3, 1746.73), Metric.LOSS)
    term = synth.series(
        np.full(3, 87.3365),
        Metric.LOSS_COMPONENT,
        tag="softmax_loss",
        name="loss_component:softmax_loss",
    )
    (found,) = detect(synth.run(total, term))
    assert found.signal == "loss_component:softmax_loss"


@pytest.mark.parametrize(
    "values",
    [
        (87.3365, 8.26, 8.25),  # a first step that was badly scaled
        (8.0, 87.3365),  # once is no state
        (87.9, 87.1, 87.3),  # happens to be near
        (6.0, 5.0, 4.0),
    ],
)
def test_other_losses(values: tuple[float, ...]) -> None:
    assert detect(synth.loss_run(np.array(values))) == ()


def plain_floor(values: list[float]) -> list[Told]:
    """The last two finite values and all before them without a break within 2 in 10,000 of it."""
    known = [(i + 1, v) for i, v in enumerate(values) if math.isfinite(v)]
    there = [abs(v - 87.3365) <= 2e-4 * 87.3365 for _, v in known]
    if len(known) < 2 or not all(there[-2:]):
        return []
    first = max((k + 1 for k, at in enumerate(there) if not at), default=0)
    measures = {"level": known[-1][1], "points": float(len(known) - first)}
    measures["from_start"] = float(first == 0)
    if first:
        measures["before"] = known[first - 1][1]
    begin, end = known[first][0], known[-1][0]
    return [Told(Shape.CLIP_FLOOR, (begin, begin, end), measures)]


@pytest.mark.parametrize("seed", range(300))
def test_the_floor_is_that_of_the_definition(seed: int) -> None:
    rng = np.random.default_rng(seed)
    kinds = [87.3365, 87.3365 * 1.00019, 87.3365 * 0.99981, 87.3365 * 1.00021, 2.0, np.nan]
    values = rng.choice(kinds, int(rng.integers(1, 7)), p=[0.4, 0.15, 0.15, 0.1, 0.1, 0.1])
    assert_told(detect(synth.loss_run(values)), plain_floor(values.tolist()))
