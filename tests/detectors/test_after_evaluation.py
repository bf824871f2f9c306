"""A loss that changes after evaluations for some points, seen through a whole run."""

from __future__ import annotations

import numpy as np
import pytest
import synth

from spikedoc.detectors.after_evaluation import detect
from spikedoc.model.anomaly import Shape
from spikedoc.model.metric import Metric
from spikedoc.model.run import Run


def evaluated(shift: float, *, lasts: int = 5, stride: int = 1, seed: int = 0) -> Run:
    """Return a run of 2000 points whose loss is off by `shift` (in logs) after evaluations."""
    n, every = 2000, 100
    at = np.arange(1, n + 1)
    level = 0.3 + 2.0 * np.exp(-at / 300.0)
    off = shift * ((at > every) & ((at - 1) % every < lasts))
    loss = level * np.exp(off + synth.noise("gauss", n, 0.1, seed))
    val = synth.series(level[every - 1 :: every], Metric.VAL_LOSS, stride=every * stride,
                       first=(every - 1) * stride + 1)  # fmt: skip
    return synth.run(synth.series(loss, stride=stride), val)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("stride", [1, 10])
@pytest.mark.parametrize(
    ("shift", "name", "percent"), [(-0.4, "dip_percent", 33.0), (0.4, "rise_percent", 49.0)]
)
def test_how_far_how_long_and_where(
    shift: float, name: str, percent: float, stride: int, seed: int
) -> None:
    (found,) = detect(evaluated(shift, stride=stride, seed=seed))
    assert found.shape is Shape.AFTER_EVALUATION
    assert found.measures[name] == pytest.approx(percent, rel=0.3)
    assert found.measures["period"] == 100.0 * stride
    assert found.measures["width"] == pytest.approx(5.0 * stride, abs=2.0 * stride)
    # The first one after the first evaluation, not somewhere in the run.
    assert found.first_step == pytest.approx(100 * stride + 1, abs=2 * stride)
    assert found.first_step <= found.peak_step
    assert found.last_step == 1999 * stride + 1  # what follows the last one is a part of it


@pytest.mark.parametrize("seed", range(10))
def test_health_is_none(seed: int) -> None:
    assert detect(evaluated(0.0, seed=seed)) == ()


def test_without_evaluations_there_is_nothing_to_ask() -> None:
    assert detect(synth.run(evaluated(0.4).series[0])) == ()
