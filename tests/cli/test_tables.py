"""Rows of long and wide tables, made of series that need not share their steps."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest

from spikedoc.cli.tables import CSV, JSONL, lines, logged
from spikedoc.ingest.naming import SUM_TAG
from spikedoc.model.metric import Metric
from spikedoc.model.run import Run, Series


def series(tag: str, points: dict[int, float], **fields: object) -> Series:
    steps, values = np.array(list(points), np.int64), np.array(list(points.values()), np.float64)
    return Series(Metric.OTHER, tag, tag, steps, values, **fields)  # type: ignore[arg-type]


def text(run: Run, format_: str, *, long: bool) -> list[str]:
    return "".join(lines(run, format_, long=long)).splitlines()


RUN = Run("r", "r", (series("a", {0: 1.0, 2: math.nan}), series("b", {1: -0.5, 2: math.inf})))


def test_wide_csv() -> None:
    assert text(RUN, CSV, long=False) == ["step,a,b", "0,1.0,", "1,,-0.5", "2,nan,inf"]


def test_wide_json_lines() -> None:
    assert [json.loads(line) for line in text(RUN, JSONL, long=False)] == [
        {"step": 0, "a": 1.0},
        {"step": 1, "b": -0.5},
        {"step": 2, "a": "NaN", "b": "Infinity"},
    ]


def test_long_csv() -> None:
    assert text(RUN, CSV, long=True) == [
        "run,step,metric,role,value,wall_time",
        "r,0,a,other,1.0,",
        "r,2,a,other,nan,",
        "r,1,b,other,-0.5,",
        "r,2,b,other,inf,",
    ]


def test_long_json_lines() -> None:
    first = {"run": "r", "metric": "a", "role": "other", "step": 0, "value": 1.0}
    assert json.loads(text(RUN, JSONL, long=True)[0]) == first


@pytest.mark.parametrize("long", [True, False])
def test_a_run_without_points(long: bool) -> None:
    empty = Run("r", "r", (series("a", {}),))
    assert len(text(empty, CSV, long=long)) == 1
    assert text(Run("r", "r", ()), JSONL, long=long) == []


def test_moments_of_several_series_fill_one_column() -> None:
    walls = np.array([1.7e9, 1.7e9 + 2])
    run = Run("r", "r", (series("a", {0: 1, 1: 1}, wall_times=walls), series("b", {1: 2, 2: 2})))
    assert text(run, CSV, long=False) == [
        "step,a,b,wall_time",
        f"0,1.0,,{1.7e9!r}",
        f"1,1.0,2.0,{1.7e9 + 2!r}",
        "2,,2.0,",
    ]


def test_names_of_columns_are_unique() -> None:
    run = Run(
        "r",
        "r",
        (
            series("a", {0: 1}),
            series("a", {0: 2}),
            series("step", {0: 3}),
            series("a", {0: 4}, rank=3),
            series(SUM_TAG, {0: 5}),
        ),
    )
    assert [name for name, _ in logged(run)] == ["a", "a#2", "step#2", "a/rank3"]


def test_keys_are_escaped() -> None:
    run = Run("r", "r", (series('a"b\n', {0: 1}),))
    (line,) = text(run, JSONL, long=False)
    assert json.loads(line) == {"step": 0, 'a"b\n': 1.0}


@pytest.mark.parametrize("long", [True, False])
@pytest.mark.parametrize("format_", [CSV, JSONL])
def test_no_sign_that_a_terminal_obeys(format_: str, *, long: bool) -> None:
    name = "a\x1b]0;title\x07\x7f\x9b31m"
    run = Run(name, "r", (series(name, {0: 1}),))
    written = "".join(lines(run, format_, long=long))
    assert written.isascii()
    assert written.replace("\n", "").isprintable()
    if format_ == JSONL:
        assert name in [*json.loads(written), *json.loads(written).values()]
