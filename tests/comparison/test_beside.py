"""A run of a comparison beside healthy ones."""

from __future__ import annotations

import numpy as np
import pytest
from pairs import curve, run

from spikedoc.comparison.beside import beside
from spikedoc.comparison.result import Side
from spikedoc.model.metric import Metric
from spikedoc.model.run import Run
from spikedoc.reference.build import build

HEALTHY = build([run(curve(seed), f"h{seed}") for seed in range(5)])


def test_a_healthy_run_stays_inside() -> None:
    told = beside(run(curve(11)), Side.A, HEALTHY)
    assert told.en == "A stays in the bands of 5 healthy runs: 1 signal compared."
    assert told.zh == "A 保持在 5 次健康训练的区间之内：对比了 1 个信号。"


@pytest.mark.parametrize(("value", "told"), [(20.0, "above, from step"), (np.nan, "not finite")])
def test_what_leaves_first_is_named_with_its_step(value: float, told: str) -> None:
    loss = curve(11)
    loss[300:] = value
    text = beside(run(loss), Side.B, HEALTHY).en
    assert text.startswith("B leaves the bands of 5 healthy runs first in `loss`")
    assert told in text
    assert "step 301" in text


def test_nothing_in_common_is_said() -> None:
    other = run(curve(1), others={Metric.LR: np.ones(600)})
    only = Run("b", "b", other.series[1:])
    assert "could not be laid beside" in beside(only, Side.B, HEALTHY).en
