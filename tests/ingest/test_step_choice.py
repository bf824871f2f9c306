"""A counter of an unknown name is made the step."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from spikedoc.errors import UsageError
from spikedoc.ingest.load import load_runs
from spikedoc.ingest.step_choice import chosen_tag, with_steps
from spikedoc.model.metric import Metric
from spikedoc.model.run import Run
from spikedoc.readers.base import RawSeries, Table
from tests.notes import english


def loss(run: Run) -> tuple[list[int], list[float]]:
    (one,) = (series for series in run.series if series.metric is Metric.LOSS)
    return one.steps.tolist(), one.values.tolist()


def test_a_column_of_a_table(tmp_path: Path) -> None:
    path = tmp_path / "log.csv"
    path.write_text("examples_seen,loss\n64,3.0\n128,2.5\n192,2.0\n", encoding="ascii")
    (run,) = load_runs(path, mapping={"step": "examples_seen"})
    assert loss(run) == ([64, 128, 192], [3.0, 2.5, 2.0])
    assert english(run.sources[0].notes) == ("steps are the values of examples_seen",)
    assert [one.tag for one in run.series] == ["loss"]


def test_a_key_that_some_lines_lack(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    rows = [{"n": 10, "loss": 3.0}, {"loss": 2.5}, {"n": 30, "loss": 2.0}, {"n": 40, "lr": 0.1}]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="ascii")
    (run,) = load_runs(path, mapping={"step": "n"})
    (series,) = (one for one in run.series if one.tag == "lr")
    assert series.steps.tolist() == [40]
    assert loss(run)[0][-1] == 30


def test_a_name_in_a_printed_log(tmp_path: Path) -> None:
    path = tmp_path / "train.log"
    path.write_text("".join(f"seen: {32 * i} loss: {3 / i:.4f}\n" for i in range(1, 9)))
    (run,) = load_runs(path, mapping={"step": "seen"})
    assert loss(run)[0] == [32 * i for i in range(1, 9)]


def test_together_with_a_role(tmp_path: Path) -> None:
    path = tmp_path / "log.csv"
    path.write_text("a,b\n64,3.0\n128,2.5\n192,2.0\n", encoding="ascii")
    (run,) = load_runs(path, mapping={"step": "a", "loss": "b"})
    assert loss(run)[0] == [64, 128, 192]


@pytest.mark.parametrize(
    ("tag", "reason"), [("examples", "no such tag; near: examples_seen"), ("loss", "no whole")]
)
def test_what_cannot_be_the_step(tmp_path: Path, tag: str, reason: str) -> None:
    path = tmp_path / "log.csv"
    path.write_text("examples_seen,loss\n64,3.1\n128,2.5\n192,2.2\n", encoding="ascii")
    with pytest.raises(UsageError, match=reason):
        load_runs(path, mapping={"step": tag})


def test_each_run_of_a_file() -> None:
    steps = np.arange(3)
    one = Table((RawSeries("n", steps, steps * 5.0), RawSeries("loss", steps, steps + 1.0)))
    table, has_it = with_steps(Table(runs=(one, Table())), "N")
    assert has_it
    assert table.runs[0].series[0].steps.tolist() == [0, 5, 10]


def test_names_that_read_the_same() -> None:
    assert chosen_tag("A/b", ["a_b", "A/b"]) == "A/b"
    assert chosen_tag("A b", ["a_b"]) == "a_b"
    assert chosen_tag("c", ["a_b"]) is None
