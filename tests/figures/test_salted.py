"""Every figure on every kind of anomaly over broken series: a number, no exception, no warning."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable

import numpy as np
import pytest

import spikedoc.figures
from spikedoc.figures.base import Figure
from spikedoc.model.anomaly import Anomaly
from spikedoc.model.label import Kind, Severity
from spikedoc.model.metric import Metric
from spikedoc.model.run import Checkpoint, Run, Series
from spikedoc.plugins import discover

FIGURES: list[Figure] = [
    figure for figures in discover(spikedoc.figures, "FIGURES").values() for figure in figures
]
STEPS = 300

SALTS: dict[str, Callable[[int], np.ndarray]] = {
    "empty": lambda n: np.zeros(0),
    "one": lambda n: np.array([2.3]),
    "ramp": lambda n: np.exp(-np.linspace(0, 3, n)),
    "constant": lambda n: np.full(n, 1.7),
    "zeros": np.zeros,
    "nan": lambda n: np.full(n, np.nan),
    "inf": lambda n: np.full(n, np.inf),
    "holes": lambda n: np.where(np.arange(n) % 3 == 0, np.nan, 1.0 + np.arange(n) % 4),
    "huge": lambda n: 1e308 * np.sin(np.arange(n)),
    "tiny": lambda n: 5e-324 * (1 + np.arange(n) % 3),
    "negative": lambda n: -1.0 - np.random.default_rng(1).random(n),
    "ends-nan": lambda n: np.where(np.arange(n) > n // 2, np.nan, 1.0 + np.arange(n) % 5),
}
CONFIGS: dict[str, dict[str, float | int | str | bool]] = {
    "none": {},
    "odd": {"num_classes": 1, "clip": -1.0, "beta1": 2.0, "beta2": 1.0, "eps": math.nan,
            "batch_size": 0, "accumulation": -3, "lr": math.inf, "steps_per_epoch": 0.5,
            "label_smoothing": 1.0, "total_steps": 0, "num_parameters": 0},
}  # fmt: skip


def make_run(salt: Callable[[int], np.ndarray], config: dict[str, float | int | str | bool]) -> Run:
    series = []
    for metric in Metric:
        values = np.asarray(salt(STEPS), dtype=np.float64).copy()
        steps = np.arange(1, values.size + 1, dtype=np.int64)
        times = 1e9 + steps.astype(np.float64)
        series.append(Series(metric, metric.value, metric.value, steps, values, times))
    for rank in range(3):
        values = np.asarray(salt(STEPS), dtype=np.float64).copy()
        steps = np.arange(1, values.size + 1, dtype=np.int64)
        series.append(Series(Metric.GRAD_NORM, f"r{rank}", f"r{rank}", steps, values, None, rank))
    checkpoints = (Checkpoint(None, "last.pt"), Checkpoint(100, "100.pt"))
    return Run("salted", "salted", tuple(series), (), config, checkpoints)


@pytest.mark.parametrize("config", CONFIGS)
@pytest.mark.parametrize("salt", SALTS)
def test_every_figure_is_a_finite_number_or_none(salt: str, config: str) -> None:
    run = make_run(SALTS[salt], CONFIGS[config])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for kind in Kind:
            for start, peak, end in ((150, 151, 160), (1, 1, 300), (300, 300, 300)):
                anomaly = Anomaly(kind, Severity.WARNING, 0.9, "loss", start, peak, end)
                for figure in FIGURES:
                    value = figure.compute(run, anomaly)
                    assert value is None or type(value) in (int, float, str), figure.name
                    assert isinstance(value, str | None) or math.isfinite(value), figure.name


def test_a_bare_run_has_only_the_steps_of_the_anomaly() -> None:
    run = Run("bare", "bare", ())
    anomaly = Anomaly(Kind.DIVERGENCE, Severity.WARNING, 0.9, "loss", 5, 6, 7)
    known = {f.name for f in FIGURES if f.compute(run, anomaly) is not None}
    assert known == {"onset_step", "peak_step", "end_step", "replay_first", "replay_last"}


def test_names_are_unique_and_both_languages_filled() -> None:
    names = [figure.name for figure in FIGURES]
    assert len(names) == len(set(names))
    assert all(figure.meaning.en and figure.meaning.zh for figure in FIGURES)
