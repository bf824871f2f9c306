"""Rows that are runs are not judged as the steps of one; rows that are steps are."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from spikedoc.ingest import load_frame
from spikedoc.model.label import Severity, Status
from spikedoc.model.metric import Metric
from spikedoc.model.run import Run
from spikedoc.pipeline import analyze_frame

RNG = np.random.default_rng(7)


def is_judged(run: Run) -> bool:
    return run.main_loss is not None and run.get(Metric.LR) is not None


def random_search(n: int = 30) -> dict[str, np.ndarray]:
    return {
        "lr": 10.0 ** RNG.uniform(-5, -1, n),
        "batch_size": RNG.choice([16.0, 32.0, 64.0], n),
        "loss": RNG.lognormal(0.0, 0.7, n),
        "val_acc": RNG.uniform(0.3, 0.9, n),
    }


def grid() -> dict[str, np.ndarray]:
    rows = list(product([1e-4, 3e-4, 1e-3, 3e-3, 1e-2], [16.0, 32.0, 64.0, 128.0]))
    lr, batch = np.array(rows).T
    return {"lr": lr, "batch_size": batch, "train_loss": RNG.lognormal(0.0, 0.7, len(rows))}


@pytest.mark.parametrize("table", [random_search(), random_search(8), grid()])
def test_a_search_has_no_course_to_judge(table: dict[str, np.ndarray]) -> None:
    report = analyze_frame(table)
    assert report.status is Status.UNKNOWN
    assert report.findings == ()
    assert any("run of its own" in note.en for note in report.notes)


T = np.arange(200)
FALLING = (0.5 + 2.0 * np.exp(-T / 30.0)) * np.exp(0.05 * RNG.standard_normal(200))


@pytest.mark.parametrize(
    "lr",
    [
        1e-3 * 0.5 * (1 + np.cos(np.pi * T / 200)),
        1e-3 * 0.5 * (1 + np.cos(np.pi * (T % 5) / 5)),  # cycles of a few logged points
        np.where(T % 2, 1e-3, 1e-4),  # two groups of parameters written in turn
        np.where(T < 120, 1e-3, 1e-2),
    ],
)
def test_the_steps_of_a_training_are_judged(lr: np.ndarray) -> None:
    assert is_judged(load_frame({"step": T, "loss": FALLING, "lr": lr}))


def test_batches_of_any_size_make_no_table_of_runs() -> None:
    batch = RNG.choice([100.0, 300.0, 900.0], T.size)
    lr = 1e-3 * 0.1 ** (T // 60)
    assert is_judged(load_frame({"loss": FALLING, "lr": lr, "batch_size": batch}))


def test_a_jump_of_the_rate_in_a_training_is_still_an_alarm() -> None:
    lr = np.where(T < 120, 1e-3, 1e-2)
    report = analyze_frame({"step": T, "loss": FALLING, "lr": lr})
    assert any(f.anomaly.severity is Severity.WARNING for f in report.findings)
