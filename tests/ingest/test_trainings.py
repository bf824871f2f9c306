"""Trainings one after the other: each is a run, whatever its length and its steps."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from spikedoc.ingest import iter_runs
from spikedoc.ingest.trainings import trainings
from spikedoc.model.label import Severity
from spikedoc.pipeline import diagnose
from spikedoc.readers.base import RawSeries, Table
from spikedoc.rules.loader import load_catalog


def table(count: int, begins: tuple[int, ...] = (), tag: str = "loss") -> Table:
    order = np.arange(count, dtype=np.int64)
    walls = order + 100.0
    return Table((RawSeries(tag, order, order * 2.0, walls, order=order),), begins=begins)


def test_files_without_a_summary_stay_together() -> None:
    first, second = table(3), table(4)
    assert trainings([("a", first), ("b", second)]) == [[("a", first.series), ("b", second.series)]]


def test_the_last_training_of_a_file_goes_on_in_the_next() -> None:
    first, second = table(5, (2,)), table(4)
    found = trainings([("a", first), ("b", second)])
    assert [[name for name, _ in part] for part in found] == [["a"], ["a", "b"]]
    cut = [part[0][1][0] for part in found]
    assert [one.steps.tolist() for one in cut] == [[0, 1], [2, 3, 4]]
    assert [one.values.tolist() for one in cut] == [[0, 2], [4, 6, 8]]
    walls = [one.wall_times for one in cut]
    assert [w.tolist() for w in walls if w is not None] == [[100, 101], [102, 103, 104]]


def test_a_quantity_that_one_training_lacks() -> None:
    loss, late = (
        table(5, (2,)).series[0],
        RawSeries("val", np.array([4]), np.array([1.0]), order=np.array([4])),
    )
    found = trainings([("a", Table((loss, late), begins=(2,)))])
    assert [[one.tag for one in part[0][1]] for part in found] == [["loss"], ["loss", "val"]]


def trained(steps: int, every: int, epochs: int, levels: tuple[float, float], rate: float) -> str:
    """Return what a healthy Trainer prints: the rate falls to 0, the loss by and by."""
    rows, total, noise = [], steps * epochs, np.random.default_rng(steps)
    for step in range(every, total + 1, every):
        fall = (levels[0] - levels[1]) * np.exp(-4 * step / total)
        record = {
            "loss": round(float(levels[1] + fall + 0.02 * noise.normal()), 4),
            "learning_rate": rate * (1 - step / total),
            "epoch": round(step / steps, 2),
        }
        rows.append(str(record))
    rows.append(str({"train_runtime": 99.0, "train_loss": 1.0, "epoch": float(epochs)}))
    return "\n".join([*rows, ""])


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ((20, 1, 3), (20, 1, 3)),
        ((313, 10, 2), (125, 5, 3)),
        ((63, 1, 3), (20, 20, 2)),
        ((1000, 50, 1), (313, 50, 2)),
        ((20, 20, 3), (1000, 100, 1)),
        ((7, 7, 3), (7, 7, 3)),
    ],
)
def test_two_healthy_trainings_are_two_runs_without_an_alarm(
    first: tuple[int, int, int], second: tuple[int, int, int], tmp_path: Path
) -> None:
    log = trained(*first, (2.3, 1.0), 2e-5) + trained(*second, (0.9, 0.3), 1e-3)
    path = tmp_path / "train.log"
    path.write_text(log)
    runs = list(iter_runs(path))
    lengths = [steps * epochs // every for steps, every, epochs in (first, second)]
    assert [len(run.main_loss or ()) for run in runs] == lengths
    assert all(not run.restarts for run in runs)
    reports = [diagnose(run, load_catalog(None)) for run in runs]
    bad = [
        f.anomaly.label
        for report in reports
        for f in report.findings
        if f.anomaly.severity is not Severity.INFO
    ]
    assert not bad
