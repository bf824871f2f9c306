"""What detectors told, against what a plain-loop version of the same definition tells."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import pytest

from spikedoc.model.anomaly import Detection, Shape


@dataclass(frozen=True)
class Told:
    """One detection: its shape, first, peak and last step, and its measures."""

    shape: Shape
    steps: tuple[int, int, int]
    measures: Mapping[str, float] = field(default_factory=dict)


def assert_told(found: Iterable[Detection], expected: Sequence[Told]) -> None:
    """Assert that shapes and steps are equal, and the measures but for rounding."""
    told = [
        Told(one.shape, (one.first_step, one.peak_step, one.last_step), one.measures)
        for one in found
    ]
    assert [(one.shape, one.steps) for one in told] == [(one.shape, one.steps) for one in expected]
    for one, other in zip(told, expected, strict=True):
        assert dict(one.measures) == pytest.approx(dict(other.measures), rel=1e-9, abs=1e-12)
