"""Certain answers are asked for where they were measured, and nowhere else."""

from __future__ import annotations

import numpy as np

from spikedoc.model.evidence import Verdict
from spikedoc.model.label import Form, Kind
from spikedoc.model.metric import Metric


def test_only_a_finding_that_measured_their_cost_says_so(ask) -> None:
    name, loss = "answers_are_certain", np.full(4, 8.059)
    found = ask(name, Kind.NON_CONVERGENCE, 1, loss=loss, form=Form.FLAT, measures={"cost": 16.118})
    assert found.verdict is Verdict.SUPPORTS
    assert dict(found.values) == {"cost": 16.1}
    unlogged = ask(name, Kind.NON_CONVERGENCE, 1, loss=loss)
    assert (unlogged.verdict, unlogged.missing) == (Verdict.UNKNOWN, (Metric.TRAIN_METRIC,))
    tags = {"train_metric": "acc"}
    other = ask(name, Kind.NON_CONVERGENCE, 1, loss=loss, train_metric=np.full(4, 0.9), tags=tags)
    assert other.verdict is Verdict.REFUTES
    assert not ask(name, Kind.ISOLATED_SPIKE, 1, loss=loss).asked
