"""How bad an excursion is, by what it left behind."""

from __future__ import annotations

import math

import pytest

from spikedoc.classifier.excursion_severity import with_severity
from spikedoc.model.anomaly import Anomaly, Detection, Shape
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


def test_a_level_over_many_points_is_not_held_against_the_scatter_of_one() -> None:
    def hump(span: float, z: float) -> Severity:
        rise = Detection("any", Shape.RISE, "loss", 500, 500, 580, {"span": span, "z": z})
        measures = {"jump": 0.5, "around": 0.3}
        one = Anomaly(
            *(Kind.SLOW_RECOVERY, Severity.INFO, 0.9, "loss", 500, 500, 580, None),
            *(measures, (rise,)),
        )
        return with_severity([one], early=50)[0].severity

    assert hump(80.0, 9.0) is Severity.WARNING
    assert hump(79.0, 9.0) is Severity.INFO
    assert hump(80.0, 8.9) is Severity.INFO


@pytest.mark.parametrize(
    ("confidence", "expected"), [(0.5, Severity.WARNING), (0.51, Severity.CRITICAL)]
)
def test_a_level_that_rose_where_the_log_ends_may_come_back(
    confidence: float, expected: Severity
) -> None:
    one = Anomaly(
        Kind.LEVEL_SHIFT, Severity.INFO, confidence, "loss", 500, 500, 505, None, {"late": 0.5}
    )
    assert with_severity([one], early=50)[0].severity is expected


def test_three_spikes_are_no_accident() -> None:
    assert severity(Kind.ISOLATED_SPIKE, count=2, factor=3.0) is Severity.INFO
    assert severity(Kind.ISOLATED_SPIKE, count=3, factor=3.0) is Severity.WARNING


def test_what_ends_early_is_the_warm_up() -> None:
    assert severity(Kind.SLOW_RECOVERY, start=20, jump=0.9) is Severity.INFO


@pytest.mark.parametrize(
    ("kind", "measures", "expected"),
    [
        (Kind.LEVEL_SHIFT, {"late": math.log(1.2)}, Severity.CRITICAL),
        (Kind.LEVEL_SHIFT, {"late": math.log(1.19)}, Severity.WARNING),
        (Kind.LEVEL_SHIFT, {"late": -1.0}, Severity.WARNING),
        (Kind.LEVEL_SHIFT, {}, Severity.WARNING),
        (Kind.SLOW_RECOVERY, {"jump": math.log(4 / 3)}, Severity.WARNING),
        (Kind.SLOW_RECOVERY, {"jump": math.log(1.33)}, Severity.INFO),
        # Twice as high as the points on either side scatter.
        (Kind.SLOW_RECOVERY, {"jump": 0.5, "around": 0.25}, Severity.WARNING),
        (Kind.SLOW_RECOVERY, {"jump": 0.5, "around": 0.251}, Severity.INFO),
        *((Kind.SLOW_RECOVERY, {}, Severity.INFO), (Kind.ISOLATED_SPIKE, {}, Severity.INFO)),
        (Kind.ISOLATED_SPIKE, {"factor": 10.0}, Severity.WARNING),
        (Kind.ISOLATED_SPIKE, {"factor": 9.9}, Severity.INFO),
    ],
)  # fmt: skip
def test_at_the_threshold(kind: Kind, measures: dict[str, float], expected: Severity) -> None:
    assert severity(kind, **measures) is expected


@pytest.mark.parametrize(
    ("kind", "start", "expected"),
    [
        (Kind.SLOW_RECOVERY, 49, Severity.INFO), (Kind.SLOW_RECOVERY, 50, Severity.WARNING),
        (Kind.LEVEL_SHIFT, 49, Severity.CRITICAL), (Kind.DIVERGENCE, 49, Severity.CRITICAL),
    ],
)  # fmt: skip
def test_what_ends_before_the_fiftieth_step(kind: Kind, start: int, expected: Severity) -> None:
    assert severity(kind, start=start, jump=0.9, late=0.9) is expected


@pytest.mark.parametrize(
    ("spikes", "dips", "expected"),
    [
        (1, 1.0, Severity.INFO), (1, 0.9, Severity.WARNING),
        (3, 1.5, Severity.INFO), (3, 1.4, Severity.WARNING),
    ],
)  # fmt: skip
def test_dips_half_as_many_as_spikes(spikes: int, dips: float, expected: Severity) -> None:
    seen = Detection("any", Shape.POINT, "loss", 500, 500, 500, {"dips": dips})
    other = Detection("any", Shape.RISE, "loss", 500, 500, 500, {})
    kind, measures = Kind.ISOLATED_SPIKE, {"factor": 20.0}
    a = Anomaly(kind, Severity.INFO, 0.9, "loss", 500, 500, 500, None, measures, (other, seen))
    assert with_severity([a] * spikes, early=50)[0].severity is expected
