"""Runs of sweeps made by hand, with the reports that the program gives on them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path

import numpy as np
from report_factory import VERSION

from spikedoc.model.anomaly import Anomaly, Detection, Shape
from spikedoc.model.label import Form, Kind, Severity, Status
from spikedoc.model.metric import Metric
from spikedoc.model.report import Finding, Report, RunFacts
from spikedoc.model.run import ConfigValue, FloatArray, Run, Series
from spikedoc.pipeline import examine
from spikedoc.sweep.result import Comparison, Member, Outcome, Value
from spikedoc.text import Text

DATA = Path(__file__).parent / "data" / "sweeps"
HOSTILE = "\x1b[31m<b>|`x`\u202e\n::error::@all"
STEPS = 400


@cache
def examined(name: str) -> tuple[tuple[Run, Report], ...]:
    """Return the runs of a folder of `tests/data/sweeps` with their reports."""
    return tuple(examine(DATA / name))


@cache
def compared(name: str) -> Comparison:
    from spikedoc.sweep.compare import compare

    return compare(examined(name))


def series(metric: Metric, values: FloatArray, stride: int = 1) -> Series:
    steps = np.arange(values.size, dtype=np.int64) * stride
    return Series(metric, metric.value, metric.value, steps, values.astype(np.float64))


def course(end: float, rng: np.random.Generator, noise: float = 0.02, n: int = STEPS) -> FloatArray:
    """Return a loss that falls from 3 to `end` with noise of this relative size."""
    steps = np.arange(n)
    falling = end + (3 - end) * np.exp(-steps / (n / 8))
    return np.asarray(falling * np.exp(noise * rng.standard_normal(n)), dtype=np.float64)


def run_of(
    name: str,
    loss: FloatArray,
    rates: FloatArray | None = None,
    stride: int = 1,
    path: str = "",
    **config: ConfigValue,
) -> Run:
    found = [series(Metric.LOSS, loss, stride)]
    if rates is not None:
        found.append(series(Metric.LR, rates, stride))
    return Run(name, path or f"runs/{name}", tuple(found), config=config)


def finding(
    kind: Kind,
    step: int,
    severity: Severity = Severity.WARNING,
    form: Form | None = None,
    signal: str = "loss",
    points: Sequence[int] = (),
) -> Finding:
    shown = [Detection("test", Shape.POINT, signal, at, at, at) for at in points]
    anomaly = Anomaly(kind, severity, 0.9, signal, step, step, step, form, {}, tuple(shown))
    return Finding("F1", anomaly, Text("seen", "看到"), Text("Trouble", "问题"))


def report_of(run: Run, *findings: Finding, status: Status = Status.HEALTHY) -> Report:
    facts = RunFacts(run.name, run.path)
    return Report(VERSION, facts, status, Text("headline", "标题"), tuple(findings))


def spiky(run: Run, *steps: int) -> tuple[Run, Report]:
    """Return the run with a report that names a spike at each of the steps."""
    found = [finding(Kind.ISOLATED_SPIKE, step, points=[step]) for step in steps]
    return run, report_of(run, *found, status=Status.WARNING)


def healthy(ends: Sequence[tuple[float, float]], **config: ConfigValue) -> list[tuple[Run, Report]]:
    """Return a run per (lr, final loss), each healthy."""
    rng = np.random.default_rng(1)
    runs = [
        run_of(f"run{i}", course(end, rng), lr=lr, **config) for i, (lr, end) in enumerate(ends)
    ]
    return [(run, report_of(run)) for run in runs]


def value(setting: ConfigValue, outcome: Outcome, level: float | None = None) -> Value:
    member = Member(f"run {setting}", "p", setting, 1, Status.HEALTHY, outcome, level=level)
    return Value(setting, outcome, (member,), level, level, level)
