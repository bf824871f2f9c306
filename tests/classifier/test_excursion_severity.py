"""How bad an excursion is, by what it left behind."""

from __future__ import annotations

import pytest

from spikedoc.classifier.excursion_severity import with_severity
from spikedoc.model.anomaly import Anomaly
from spikedoc.model.label import Kind, Severity


def severity(kind: Kind, start: int = 500, count: int = 1, **measures: float) -> Severity:
    found = [
        Anomaly(kind, Severity.INFO, 0.9, "loss", start + i, start + i, start + i, None, measures)
        for i in range(count)
    ]
    return with_severity(found, early=50)[0].severity


@pytest.mark.parametrize(
    ("kind", "measures", "expected"),
    [
        (Kind.DIVERGENCE, {}, Severity.CRITICAL),
        (Kind.LEVEL_SHIFT, {"late": 0.3}, Severity.CRITICAL),
        (Kind.LEVEL_SHIFT, {"late": 0.1}, Severity.WARNING),
        (Kind.SLOW_RECOVERY, {"jump": 0.5}, Severity.WARNING),
        (Kind.SLOW_RECOVERY, {"jump": 0.2}, Severity.INFO),
        (Kind.SLOW_RECOVERY, {"jump": 0.5, "around": 0.3}, Severity.INFO),
        (Kind.ISOLATED_SPIKE, {"factor": 3.0}, Severity.INFO),
        (Kind.ISOLATED_SPIKE, {"factor": 12.0}, Severity.WARNING),
    ],
)
def test_by_what_it_left_behind(kind: Kind, measures: dict[str, float], expected: Severity) -> None:
    assert severity(kind, **measures) is expected


def test_three_spikes_are_no_accident() -> None:
    assert severity(Kind.ISOLATED_SPIKE, count=2, factor=3.0) is Severity.INFO
    assert severity(Kind.ISOLATED_SPIKE, count=3, factor=3.0) is Severity.WARNING


def test_what_ends_early_is_the_warm_up() -> None:
    assert severity(Kind.SLOW_RECOVERY, start=20, jump=0.9) is Severity.INFO
