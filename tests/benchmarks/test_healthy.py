"""The simulated healthy runs are what they are said to be, and the page counts them."""

from __future__ import annotations

import sys
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from spikedoc.model.metric import Metric

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"
SEED = 1


@pytest.fixture
def healthy(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    import healthy as module

    return module


def test_every_shape_and_noise_has_its_turn_and_all_is_finite(healthy: ModuleType) -> None:
    runs, noises = sys.modules["_healthy_runs"], sys.modules["_healthy_noise"]
    count = len(runs.SHAPES) * len(noises.NOISES)
    made = [runs.healthy_run(number, SEED) for number in range(count) if number % 100]
    assert {m.shape for m in made} == set(runs.SHAPES)
    assert {m.noise for m in made} == set(noises.NOISES)
    for m in made:
        loss = m.run.get(Metric.LOSS)
        assert np.isfinite(loss.values).all(), m.run.name
        assert 100 <= len(loss) <= 20_000
        assert 1_000 * 0.9 <= loss.steps[-1] <= 1_000_000


def test_the_same_seed_gives_the_same_run(healthy: ModuleType) -> None:
    runs = sys.modules["_healthy_runs"]
    one, two, other = (runs.healthy_run(5, seed).run.series[0] for seed in (SEED, SEED, SEED + 1))
    assert np.array_equal(one.values, two.values)
    assert not np.array_equal(one.values[:100], other.values[:100])


@pytest.mark.parametrize("kind", ["Gaussian", "Laplace", "Student t5", "lognormal",
                                  "multiplicative", "autoregressive", "window means"])  # fmt: skip
def test_a_noise_is_as_large_as_asked(healthy: ModuleType, kind: str) -> None:
    drawn = sys.modules["_healthy_noise"].NOISES[kind](np.random.default_rng(0), 50_000, 0.1)
    assert float(np.std(drawn)) == pytest.approx(0.1, rel=0.1)


def test_the_page_counts_alarms_by_shape_noise_and_label(healthy: ModuleType) -> None:
    verdicts = [
        healthy.Verdict(0, "power law", "Gaussian", 500, ()),
        healthy.Verdict(1, "power law", "Laplace", 500, ("divergence/finite", "isolated-spike")),
    ]
    text = healthy.page(verdicts, SEED)
    assert "**1 of 2 (50.0 %)" in text
    assert "`divergence/finite` 1, `isolated-spike` 1" in text
    assert "| power law | 2 | 1 | 50.0 |" in text
    assert "| Gaussian | 1 | 0 | 0.0 |" in text


def test_a_few_healthy_runs_are_quiet(healthy: ModuleType) -> None:
    verdicts = healthy.judge_all(8, SEED, 1)[1:]
    assert [v.alarms for v in verdicts] == [()] * 7
