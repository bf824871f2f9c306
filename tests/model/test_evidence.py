"""What an open question is open for."""

from __future__ import annotations

import pytest

from spikedoc.model.evidence import Evidence, Verdict
from spikedoc.model.metric import Metric
from spikedoc.text import Text


@pytest.mark.parametrize(
    ("verdict", "missing", "config", "unlogged"),
    [
        (Verdict.UNKNOWN, (Metric.GRAD_NORM,), (), True),
        (Verdict.UNKNOWN, (), ("batch_size",), True),
        (Verdict.UNKNOWN, (), (), False),
        (Verdict.REFUTES, (), (), False),
    ],
)
def test_unlogged_is_not_the_same_as_open(
    verdict: Verdict, missing: tuple[Metric, ...], config: tuple[str, ...], *, unlogged: bool
) -> None:
    found = Evidence("p", verdict, Text("", ""), missing=missing, missing_config=config)
    assert found.is_unlogged is unlogged
