"""Panels exported from W&B: each run of the table is judged."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from spikedoc.ingest import load_runs
from spikedoc.model.label import Status
from spikedoc.model.metric import Metric
from spikedoc.model.run import Run
from spikedoc.pipeline import analyze_all
from spikedoc.readers._wandb_panel import with_runs_apart
from spikedoc.readers.base import RawSeries, Table
from tests.notes import english

COUNT = 60


def loss(i: int, run: int) -> float:
    return round(0.5 + 0.2 * run + 2 * math.exp(-i / 20) + 0.03 * math.sin(7 * i + run), 6)


def export(columns: Sequence[tuple[str, int]], *, axis: str = "Step") -> str:
    """A table as the panel writes it: each cell in quotes; a column with the number of its run."""
    head = [axis, *(name for name, _ in columns)]
    rows = [[str(10 * i), *(str(loss(i, run)) for _, run in columns)] for i in range(COUNT)]
    return "\n".join(",".join(f'"{cell}"' for cell in row) for row in [head, *rows]) + "\n"


def panel(*names: str, tag: str = "train/loss") -> list[tuple[str, int]]:
    ends = ("", "__MIN", "__MAX")
    return [(f"{name} - {tag}{end}", run) for run, name in enumerate(names) for end in ends]


def runs_in(folder: Path, text: str) -> list[Run]:
    path = folder / "wandb_export.csv"
    path.write_text(text, encoding="utf-8")
    return load_runs(path)


def courses(runs: Sequence[Run]) -> list[list[float]]:
    found = [run.get(Metric.LOSS) for run in runs]
    return [[] if one is None else one.values.tolist() for one in found]


@pytest.mark.parametrize(
    "columns",
    [
        panel("misty-lake-3", "brisk-sun-4"),
        panel("a - b", "a - c"),
        panel("same", "same"),  # W&B lets runs share a name
        [("m - train/loss", 0), ("b - train/loss", 1)],  # the envelopes taken out by hand
        [("m - loss", 0), ("m - _step", 0), ("b - train_loss", 1), ("b - _step", 1)],
        [("Group: m - train - loss", 0), ("Group: b - train - loss", 1)],
    ],
    ids=["names", "dashes in names", "one name", "by hand", "counter", "phases in tags"],
)
def test_each_run_of_a_panel_has_its_own_loss(
    tmp_path: Path, columns: list[tuple[str, int]]
) -> None:
    runs = runs_in(tmp_path, export(columns))
    assert sorted(courses(runs)) == sorted([loss(i, k) for i in range(COUNT)] for k in (0, 1))
    steps = [one.steps.tolist() for run in runs if (one := run.get(Metric.LOSS))]
    assert steps == [list(range(0, 10 * COUNT, 10))] * 2
    assert len({run.name for run in runs}) == 2


def test_the_runs_are_named_and_told(tmp_path: Path) -> None:
    runs = runs_in(tmp_path, export(panel("misty-lake-3", "brisk-sun-4")))
    assert {run.name.rpartition("/")[2] for run in runs} == {"misty-lake-3", "brisk-sun-4"}
    assert all(
        "a panel of W&B with 2 runs (misty-lake-3, brisk-sun-4), each judged by itself"
        in english(run.sources[0].notes)
        for run in runs
    )


def test_the_second_run_that_breaks_is_found(tmp_path: Path) -> None:
    lines = export(panel("fine", "broken")).splitlines()
    torn = [line.rsplit(",", 3)[0] + ',"NaN","NaN","NaN"' for line in lines[30:]]
    path = tmp_path / "export.csv"
    path.write_text("\n".join([*lines[:30], *torn]) + "\n", encoding="utf-8")
    found = {run.name.rpartition("/")[2]: run for run in load_runs(path)}
    assert set(found) == {"fine", "broken"}
    assert np.isnan(found["broken"].series[0].values).any()
    assert not np.isnan(found["fine"].series[0].values).any()
    verdicts = {one.run.name.rpartition("/")[2]: one for one in analyze_all(path)}
    assert not verdicts["fine"].findings
    assert [one.anomaly.label.partition("/")[0] for one in verdicts["broken"].findings] == [
        "nonfinite"
    ]
    assert verdicts["broken"].status is Status.CRITICAL


@pytest.mark.parametrize(
    "columns",
    [
        panel("only"),
        [("train - loss", 0), ("val - loss", 1)],
        [("net - train - loss", 0), ("net - val - loss", 1)],
        [("D - loss", 0), ("G - loss", 1)],
        [("loss - smooth", 0), ("lr - head", 1)],  # no run is told by these
        [("a - loss", 0), ("b - loss", 1), ("epoch", 0), ("lr", 0)],  # a table of its writer
    ],
)
def test_columns_of_one_run_stay_together(tmp_path: Path, columns: list[tuple[str, int]]) -> None:
    assert len(runs_in(tmp_path, export(columns))) == 1


def test_the_axis_is_of_all_runs() -> None:
    steps = np.arange(4)
    names = ("Relative Time (Process)", "a - loss", "b - loss")
    series = tuple(RawSeries(name, steps, steps * 1.0) for name in names)
    runs = with_runs_apart(Table(series)).runs
    assert [[one.tag for one in run.series] for run in runs] == [[names[0], "loss"]] * 2
