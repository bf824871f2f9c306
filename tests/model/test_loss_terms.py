"""A loss that is the sum of its logged terms."""

from __future__ import annotations

import numpy as np
import pytest
import synth

from spikedoc.model.loss_terms import is_sum_of_terms
from spikedoc.model.metric import Metric
from spikedoc.model.run import Run


def run(total: float | None, *terms: float) -> Run:
    parts = [
        synth.series(np.full(5, level), Metric.LOSS_COMPONENT, tag=f"loss_{k}", name=f"term:{k}")
        for k, level in enumerate(terms)
    ]
    whole = [] if total is None else [synth.series(np.full(5, total), Metric.LOSS)]
    return synth.run(*whole, *parts)


@pytest.mark.parametrize(
    ("total", "terms", "is_sum"),
    [
        (1.6, (0.4, 0.6, 0.6), True),
        (1.0, (0.89, 0.11), True),
        (1.0, (0.91, 0.09), False),  # one term is nearly all of it: its constants hold for the sum
        (1.0, (0.59, 0.5), True),  # off by less than a tenth
        (1.0, (0.61, 0.5), False),
        (1.0, (0.61, 0.28), False),
        (1.0, (1.0,), False),
        (1.0, (), False),
        (1.0, (1.5, -0.5), False),
        (0.0, (0.0, 0.0), False),
        (np.nan, (0.5, 0.5), False),
        (1.0, (0.5, np.nan), False),
        (None, (0.5, 0.5), False),
    ],
)
def test_terms_that_make_up_the_total(
    total: float | None, terms: tuple[float, ...], is_sum: bool
) -> None:
    assert is_sum_of_terms(run(total, *terms)) is is_sum
