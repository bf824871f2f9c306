"""Levels of cells, against plain loops."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from healthy_project import STEPS, healthy, series
from hypothesis import given
from hypothesis import strategies as st

from spikedoc.model.run import Run
from spikedoc.reference.band import Axis, Scale, by_name, cell_levels, on_scale, positions


def naive(at: np.ndarray, values: np.ndarray, edges: np.ndarray) -> list[float]:
    out = []
    for low, high in pairwise(edges):
        inside = [v for p, v in zip(at, values, strict=True) if low <= p < high]
        good = [v for v in inside if np.isfinite(v)]
        if not inside:
            out.append(np.nan)
        else:
            out.append(float(np.median(good)) if 2 * len(good) > len(inside) else np.inf)
    return out


@given(st.integers(0, 2**32 - 1), st.integers(1, 60), st.integers(1, 9))
def test_levels(seed: int, points: int, cells: int) -> None:
    rng = np.random.default_rng(seed)
    places = np.sort(rng.uniform(0.0, 100.0, points))
    values = rng.choice([np.nan, np.inf, -np.inf, *rng.normal(0.0, 1.0, 5)], points)
    edges = np.linspace(10.0, 90.0, cells + 1)
    np.testing.assert_array_equal(cell_levels(places, values, edges), naive(places, values, edges))


def test_places_on_the_axis() -> None:
    run = healthy(0)
    loss = run.series[0]
    assert positions(loss, Axis.STEP, run.last_step).tolist() == STEPS.tolist()
    assert positions(loss, Axis.SHARE, run.last_step)[[0, -1]].tolist() == [0.001, 1.0]


def test_scales() -> None:
    values = np.array([np.e, 0.0, -1.0, np.nan, np.inf])
    assert on_scale(values, Scale.LINEAR) is values
    found = on_scale(values, Scale.LOG)
    assert found[0] == 1.0
    assert bool((found[1:3] < -600).all())
    assert np.isnan(found[3])
    assert found[4] == np.inf


def test_names_are_made_safe() -> None:
    from dataclasses import replace

    hostile = replace(series("loss", STEPS, STEPS / 1.0), name="a\x1b[31m\nb\u202e" + "x" * 999)
    ranked = replace(series("loss", STEPS, STEPS / 1.0), rank=1)
    (name,) = by_name(Run("a", "", (hostile, ranked)))
    assert name.startswith("a b")
    assert len(name) == 200
    assert name.isprintable()
