"""A loss that ends while its rows go on may hide NaN."""

from __future__ import annotations

import numpy as np
import pytest
import synth

from spikedoc.assembly.limits import limits
from spikedoc.assembly.loss_end import LossEnd, loss_end
from spikedoc.assembly.report import judge
from spikedoc.model.label import Status
from spikedoc.model.metric import Metric
from spikedoc.model.run import Run

LOSS = 2.0 / (1.0 + np.arange(300) / 50.0)


def ended(points: int, rate_stride: int = 1, other: Metric = Metric.LR) -> Run:
    """Return a loss of so many of 300 rows, and a rate in each or every so many of them."""
    rate = synth.series(np.full(300 // rate_stride, 1e-3), other, stride=rate_stride)
    return synth.run(synth.series(LOSS[:points]), rate)


def test_a_loss_that_ends_before_its_rows_is_not_healthy() -> None:
    run = ended(200)
    found = loss_end(run)
    assert isinstance(found, LossEnd)
    last = int(run.series[1].steps[-1])
    assert (found.name, found.beside) == ("loss", "lr")
    assert (found.step, found.last) == (int(run.series[0].steps[-1]), last)
    assert judge(run, []) is Status.UNKNOWN
    (said,) = [text for text in limits(run) if "left empty" in text.en]
    assert f"ends at step {found.step} while `lr` goes on to step {last}" in said.en
    assert f"第 {last} 步" in said.zh


@pytest.mark.parametrize(
    "run",
    [
        ended(300),
        ended(286),  # the last rows may be lost where a logger closes: less than a twentieth
        ended(200, rate_stride=10),  # written at its own steps
        ended(200, other=Metric.VAL_LOSS),  # a table of evaluations
        synth.loss_run(LOSS),
    ],
)
def test_what_hides_nothing(run: Run) -> None:
    assert loss_end(run) is None
    assert judge(run, []) is Status.HEALTHY


def test_nan_that_was_written_is_found_as_such() -> None:
    values = np.where(np.arange(300) < 200, LOSS, np.nan)
    rate = synth.series(np.full(400, 1e-3), Metric.LR)
    assert loss_end(synth.run(synth.series(values), rate)) is None
