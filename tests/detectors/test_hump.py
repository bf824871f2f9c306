"""A loss far above its own start for a good part of the run, and what only looks like it."""

from __future__ import annotations

import numpy as np
import pytest
import synth

from spikedoc.detectors.hump import detect
from spikedoc.model.anomaly import Shape
from spikedoc.model.metric import Metric


def thrown(factor: float = 5.0, first: int = 40, last: int = 120, n: int = 400) -> np.ndarray:
    values = np.linspace(2.0, 0.5, n) * (1.0 + 0.02 * np.sin(np.arange(n) ** 2.0))
    values[first:last] = 2.0 * factor
    return values


def test_a_model_that_knew_less_than_nothing() -> None:
    values = thrown()
    values[70] = 20.0
    (found,) = detect(synth.loss_run(values))
    assert (found.shape, found.signal) == (Shape.HUMP, Metric.LOSS.value)
    assert (found.first_step, found.peak_step, found.last_step) == (41, 71, 120)
    m = found.measures
    assert m["before"] == pytest.approx(2.0, rel=0.03)
    assert m["factor"] == pytest.approx(20.0 / m["before"])
    assert m["peak"] == 20.0


@pytest.mark.parametrize(
    ("values", "count"),
    [
        (thrown(2.2), 1),
        (thrown(1.9), 0),  # not twice the start
        (thrown(last=80), 1),
        (thrown(last=70), 0),  # less than a tenth of the run
        (thrown(first=320, last=400), 0),  # it never came back
        (thrown(n=400) / 40.0, 0),  # from next to nothing
        (thrown(first=10, last=30, n=100), 1),
        (thrown(first=10, last=30, n=99), 0),
        (np.linspace(2.0, 0.5, 400), 0),
    ],
)
def test_what_counts(values: np.ndarray, count: int) -> None:
    assert len(detect(synth.loss_run(values))) == count


def test_the_longest_piece_is_told() -> None:
    values = thrown()
    values[200:320] = 9.0
    (found,) = detect(synth.loss_run(values))
    assert (found.first_step, found.last_step) == (201, 320)


def test_a_sum_of_terms_has_no_start_to_compare() -> None:
    assert detect(synth.summed(synth.loss_run(thrown()), 0.5, 0.5)) == ()
    assert detect(synth.run(synth.series(thrown(), Metric.GRAD_NORM))) == ()
