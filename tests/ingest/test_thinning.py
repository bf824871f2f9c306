"""A run with fewer points: what stays, what is told, and that the verdict does."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from spikedoc.cli.options import FEWEST_POINTS
from spikedoc.ingest import load_runs
from spikedoc.ingest.thinning import thinned_run
from spikedoc.model.label import Severity, Status
from spikedoc.model.metric import Metric
from spikedoc.model.report import Report
from spikedoc.model.run import Restart, Run, Series, Thinned
from spikedoc.pipeline import diagnose
from spikedoc.rules.loader import load_catalog

SAMPLES = Path(__file__).parents[2] / "sample_logs"
NAMES = sorted(path.parent.name for path in SAMPLES.glob("*/case.toml"))
HEALTHY = [name for name in NAMES if name.startswith("healthy")]
CATALOG = load_catalog()
N = 10_000


def series(metric: Metric, values: np.ndarray, stride: int = 1) -> Series:
    steps = np.arange(values.size, dtype=np.int64) * stride
    return Series(metric, metric.value, metric.value, steps, values.astype(np.float64))


def run_of(*curves: Series, restarts: tuple[Restart, ...] = ()) -> Run:
    return Run("r", "r", curves, restarts=restarts)


def noise(seed: int) -> np.ndarray:
    return np.random.default_rng(seed).normal(2.0, 0.1, N)


def test_nothing_changes_without_a_bound_or_within_it() -> None:
    run = run_of(series(Metric.LOSS, noise(1)))
    assert thinned_run(run, None) is run
    assert thinned_run(run, N) is run


def test_series_of_the_same_steps_keep_the_same_ones() -> None:
    loss, norm = noise(1), noise(2)
    loss[4_321], norm[8_765] = 30.0, np.nan
    rare = series(Metric.VAL_LOSS, noise(3)[:50], stride=200)
    run = thinned_run(
        run_of(series(Metric.LOSS, loss), series(Metric.GRAD_NORM, norm), rare), 1_000
    )
    first, second, third = run.series
    assert np.array_equal(first.steps, second.steps)
    assert {0, 4_321, 8_765, N - 1} <= set(first.steps.tolist())
    assert len(first) <= 1_000
    assert third is rare
    assert run.thinned == (
        Thinned("loss", N, len(first)),
        Thinned("grad_norm", N, len(second)),
    )


def test_both_sides_of_a_restart_stay() -> None:
    restart = Restart(5_003, 5_002, "new-file")
    run = thinned_run(run_of(series(Metric.LOSS, noise(1)), restarts=(restart,)), 1_000)
    assert {5_002, 5_003} <= set(run.series[0].steps.tolist())


def test_the_report_says_so_in_both_languages() -> None:
    run = thinned_run(run_of(series(Metric.LOSS, noise(1))), 1_000)
    report = diagnose(run, CATALOG)
    told = [text for text in report.limits if "thinned" in text.en]
    assert len(told) == 1
    assert "of 10000 points" in told[0].en
    assert "10000 个点中" in told[0].zh
    assert not any("logged every" in text.en for text in report.limits)


def verdict(report: Report) -> tuple[Status, list[str]]:
    alarms = [one.anomaly for one in report.findings if one.anomaly.severity is not Severity.INFO]
    return report.status, sorted({anomaly.kind.value for anomaly in alarms})


@pytest.mark.parametrize("name", NAMES)
def test_the_tightest_bound_that_may_be_asked_for_leaves_the_verdict(name: str) -> None:
    for run in load_runs(SAMPLES / name / "run"):
        fewer = thinned_run(run, FEWEST_POINTS)
        assert verdict(diagnose(fewer, CATALOG)) == verdict(diagnose(run, CATALOG))


@pytest.mark.parametrize("most", [150, 300])
@pytest.mark.parametrize("name", HEALTHY)
def test_a_far_tighter_one_raises_no_alarm(name: str, most: int) -> None:
    for run in load_runs(SAMPLES / name / "run"):
        assert diagnose(thinned_run(run, most), CATALOG).status is Status.HEALTHY
