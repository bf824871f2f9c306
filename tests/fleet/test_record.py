from __future__ import annotations

import json
import math

import fleets
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spikedoc.fleet.record import SCHEMA, Record, State, from_line, record_of, to_line
from spikedoc.model.label import Severity
from spikedoc.model.metric import Metric
from spikedoc.model.run import Run, Series
from spikedoc.pipeline import diagnose
from spikedoc.rules.loader import load_catalog

PLACE = {"root": "runs", "path": "a", "key": "k"}


def test_a_line_comes_back() -> None:
    record = fleets.record("a/b", State.CRITICAL, points=7, first_time=1.5, report="x.html")
    line = to_line(record)
    assert "\n" not in line
    assert json.loads(line)["schema"] == SCHEMA
    assert from_line(line) == record


@given(
    st.text(), st.text(), st.integers(0, 10**18), st.floats(allow_nan=False, allow_infinity=False)
)
def test_any_name_and_number_comes_back(path: str, run: str, points: int, time: float) -> None:
    record = fleets.record(path, State.WARNING, run=run, points=points, last_time=time)
    line = to_line(record)
    assert line.isascii()
    assert "\n" not in line
    assert from_line(line) == record


@pytest.mark.parametrize(
    "line",
    ["", "{", "[]", "null", "{}", '{"schema":"spikedoc-report/1"}', '{"schema":"spikedoc-scan/1"}',
     '{"schema":"spikedoc-scan/1","findings":[1],"causes":[],"status":"healthy"}',
     to_line(fleets.record())[:-5], to_line(fleets.record()).replace("healthy", "fine"),
     "[" * 10_000],
)  # fmt: skip
def test_what_is_no_record_is_none(line: str) -> None:
    assert from_line(line) is None


@pytest.mark.parametrize(
    ("key", "value"),
    [("root", 1), ("path", None), ("key", ["k"]), ("run", {}), ("error", 5), ("report", True),
     ("part", 0), ("part", "1"), ("part", True), ("parts", 0), ("parts", 10**30), ("points", 1.5),
     ("bytes", None), ("first_step", "1"), ("last_step", 2**63), ("last_time", math.nan),
     ("first_time", "now"), ("modified", math.inf), ("modified", 10**400), ("seconds", None)],
)  # fmt: skip
def test_a_record_of_wrong_types_is_none(key: str, value: object) -> None:
    values = json.loads(to_line(fleets.record())) | {key: value}
    assert from_line(json.dumps(values)) is None


@pytest.mark.parametrize(
    ("part", "key", "value"),
    [("findings", "signal", 1), ("findings", "start_step", None), ("findings", "form", 2),
     ("findings", "severity", "grave"), ("causes", "rule", None), ("causes", "score", math.nan)],
)  # fmt: skip
def test_a_finding_of_wrong_types_makes_no_record(part: str, key: str, value: object) -> None:
    values = json.loads(to_line(fleets.record("a", State.CRITICAL)))
    values["findings"] = [
        {"kind": "k", "form": None, "severity": "info", "signal": "s", "start_step": 1}
    ]
    values["causes"] = [{"rule": "SD1", "cause": "c", "score": 1}]
    assert from_line(json.dumps(values)) is not None
    values[part][0][key] = value
    assert from_line(json.dumps(values)) is None


def test_a_key_of_a_later_version_is_passed_over() -> None:
    values = json.loads(to_line(fleets.record())) | {"later": 1}
    assert from_line(json.dumps(values)) == fleets.record()


def test_a_run_with_its_report() -> None:
    steps = np.arange(400)
    values = 2.0 * np.exp(-steps / 100.0) + 0.5
    values[300:] = math.nan
    walls = 1.7e9 + steps
    loss = Series(Metric.LOSS, "loss", "loss", steps, values, walls)
    run = Run("a", "runs/a", (loss,))
    report = diagnose(run, load_catalog(None))
    record = record_of(run, report, PLACE)
    assert record.status is State.CRITICAL
    assert record.points == 400
    assert (record.first_step, record.last_step) == (0, 399)
    assert (record.first_time, record.last_time) == (1.7e9, 1.7e9 + 399)
    (seen,) = [one for one in record.findings if one.kind == "nonfinite"]
    assert (seen.signal, seen.start_step) == ("loss", 300)
    assert record.is_found(Severity.CRITICAL)
    assert [one.rule for one in record.causes] == [one.rule.code for one in report.causes[:5]]


def test_a_run_without_clock_has_the_time_of_its_files() -> None:
    record = fleets.record("a", modified=5.0)
    assert record.time == 5.0
    assert fleets.record("a", modified=5.0, last_time=3.0).time == 3.0


def test_the_project_is_the_first_folder() -> None:
    assert fleets.record("vision/2024/run").project == "vision"
    assert fleets.record("run").project == "."
    assert Record("r", ".", "k", State.HEALTHY).project == "."


def test_the_time_it_took_makes_no_difference() -> None:
    assert fleets.record(seconds=1.0) == fleets.record(seconds=2.0)
