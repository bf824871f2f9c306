"""The rates of the page are counted as it says, on a few small sets."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
from healthy_project import healthy

Import = Callable[[str], ModuleType]
PAGE = Path(__file__).parents[2] / "docs/explanation/references.md"
SETS = {"a": [healthy(seed) for seed in range(6)]}


@pytest.fixture
def rates(benchmark: Import) -> ModuleType:
    return benchmark("reference")


def test_a_training_that_really_runs(benchmark: Import) -> None:
    small = benchmark("_small_trainings")
    project = replace(small.PROJECTS[1], steps=120, eval_every=30)
    one, again, other = (small.repetition(project, seed) for seed in (0, 0, 1))
    for a, b, c in zip(one.series, again.series, other.series, strict=True):
        np.testing.assert_array_equal(a.values, b.values)
        assert a.name in {"lr"} or not np.array_equal(a.values, c.values)
    loss = one.named("loss")
    assert loss.values[-1] < 0.5 * loss.values[0]


def test_gradients_against_differences(benchmark: Import) -> None:
    small = benchmark("_small_trainings")
    for project in (small.PROJECTS[1], small.PROJECTS[4]):
        rng = np.random.default_rng(0)
        (points, wanted), _ = small._data(project)
        layers = small._weights(project, rng)
        loss, found = small._gradients(project, layers, points[:8], wanted[:8])
        layers[0][0][2, 3] += 1e-6
        moved, _ = small._gradients(project, layers, points[:8], wanted[:8])
        assert (moved - loss) / 1e-6 == pytest.approx(found[0][0][2, 3], rel=1e-3, abs=1e-6)


def test_simulated_repetitions_share_their_course(benchmark: Import) -> None:
    made = benchmark("_healthy_runs")
    for number in (0, 7, 14):
        one, other = made.repetitions(number, 2)
        a, b = one.main_loss, other.main_loss
        assert a.steps.tolist() == b.steps.tolist()
        assert not np.array_equal(a.values, b.values)
        assert abs(np.log(np.median(a.values) / np.median(b.values))) < 0.5 or number == 12


def test_counts(rates: ModuleType) -> None:
    assert rates.alarms(rates.draws(SETS, 2, 3)) == (0, 6)
    five = rates.draws(SETS, 5, 2)
    assert rates.noticed(five, "loss", 3.0) == 100.0
    assert rates.noticed(five, "loss", 1.0) == 0.0
    assert len(rates.draws(SETS, 6, 3)) == 0
    assert set(rates.spreads(SETS)) >= {"loss", "grad_norm"}


def test_the_page_that_is_kept_meets_the_goal() -> None:
    rows = [line.split("|")[1:-1] for line in PAGE.read_text("utf-8").splitlines() if "|" in line]
    rates = [[float(cell) for cell in row] for row in rows[2:7]]
    assert [row[0] for row in rates] == [1, 2, 3, 5, 8]
    assert all(row[2] <= 2.0 and row[4] <= 2.0 for row in rates)
