"""The finite points of a series."""

from __future__ import annotations

import numpy as np
import pytest

from spikedoc.signal.transform import Scale
from spikedoc.signal.view import view

NAN, INF = np.nan, np.inf


def test_non_finite_points_are_dropped_not_filled() -> None:
    steps = np.array([10, 20, 30, 40, 50], dtype=np.int64)
    seen = view(steps, np.array([1.0, NAN, np.e, INF, 1.0]))
    assert seen.steps.tolist() == [10, 30, 50]
    assert seen.values.tolist() == [1.0, np.e, 1.0]
    assert seen.judged.tolist() == pytest.approx([0.0, 1.0, 0.0])
    assert seen.scale is Scale.LOG
    assert len(seen) == 3


def test_the_stride_is_the_usual_distance_of_what_is_left() -> None:
    steps = np.array([0, 5, 10, 15, 400], dtype=np.int64)
    assert view(steps, np.ones(5)).stride == 5.0


@pytest.mark.parametrize("values", [[], [2.0], [NAN, NAN], [NAN, 3.0, INF]])
def test_too_few_points_have_the_stride_one(values: list[float]) -> None:
    seen = view(np.arange(len(values), dtype=np.int64), np.array(values))
    assert seen.stride == 1.0
    assert len(seen) == sum(np.isfinite(values))
