"""Whatever is not in a log, or makes no sense there, no question fails: it is answered or open."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest

import spikedoc.evidence
from spikedoc.evidence.base import Case, Probe
from spikedoc.model.anomaly import Anomaly
from spikedoc.model.evidence import Verdict
from spikedoc.model.label import Form, Kind, Severity
from spikedoc.model.metric import Metric
from spikedoc.model.run import Restart, Run, Series
from spikedoc.plugins import discover

PROBES: Mapping[str, Probe] = {
    probe.name: probe
    for probes in discover(spikedoc.evidence, "PROBES").values()
    for probe in probes
}
NAN = float("nan")
# One of each way to be asked: a moment, a stretch, something that recurs, a break, a level.
ASKED = (
    (Kind.ISOLATED_SPIKE, None),
    (Kind.NON_CONVERGENCE, Form.FLAT),
    (Kind.PERIODIC_SPIKES, Form.EPOCH),
    (Kind.NONFINITE, Form.PERSISTENT),
    (Kind.LEVEL_SHIFT, Form.UP),
    (Kind.OVERFITTING, None),
)
LOGS: Mapping[str, Any] = {
    "nothing": [],
    "one point": [1.0],
    "two points": [1.0, 2.0],
    "zeros": [0.0] * 130,
    "a line": [1.0] * 130,
    "a line below zero": [-1.0] * 130,
    "not a number": [NAN] * 130,
    "a line that breaks": [1.0] * 65 + [NAN] * 65,
    "a broken beginning": [math.inf] * 65 + [1.0] * 65,
}
CONFIGS: tuple[Mapping[str, Any], ...] = (
    {},
    dict.fromkeys(
        ("lr", "batch_size", "num_classes", "warmup_steps", "total_steps", "clip", "beta2"), 0.0
    )
    | {"optimizer": "", "precision": 0, "schedule": "", "shuffle": "?", "steps_per_epoch": 40},
)


def series(metric: Metric, values: list[float]) -> Series:
    steps = np.arange(1, len(values) + 1)
    return Series(metric, metric.value, metric.value, steps, np.array(values, dtype=np.float64))


def logged(values: list[float], beside: list[float] | None, config: Mapping[str, Any]) -> Run:
    """Return a run with this loss, and with one more series of each kind unless `beside` is None.

    The log of the loss is restarted in its middle where there is anything beside it.
    """
    parts = [series(Metric.LOSS, values)]
    restarts: tuple[Restart, ...] = ()
    if beside is not None:
        parts += [series(metric, beside) for metric in Metric if metric is not Metric.LOSS]
        restarts = (Restart(len(values) // 2 + 1, len(values) // 2, "pause"),)
    return Run("made", "made", tuple(parts), restarts, dict(config))


def ask_all(run: Run, values: list[float]) -> None:
    for kind, form in ASKED:
        for start in {1, len(values) // 2 + 1}:
            last = max(start, len(values))
            a = Anomaly(kind, Severity.WARNING, 0.9, "loss", start, start, last, form)
            case = Case(run, a, (a,))
            for name, probe in PROBES.items():
                found = probe.answer(case)
                assert found.verdict in Verdict, name
                assert "{" not in found.statement.en + found.statement.zh, name
                numbers = [v for v in found.values.values() if not isinstance(v, str)]
                assert all(map(math.isfinite, numbers)), name


@pytest.mark.parametrize("config", CONFIGS)
@pytest.mark.parametrize("loss", LOGS)
def test_of_a_loss_alone(loss: str, config: Mapping[str, Any]) -> None:
    ask_all(logged(LOGS[loss], None, config), LOGS[loss])


@pytest.mark.parametrize("beside", LOGS)
def test_of_a_loss_beside_poor_series(beside: str) -> None:
    loss = LOGS["a line that breaks"]
    ask_all(logged(loss, LOGS[beside], CONFIGS[1]), loss)


@pytest.mark.parametrize("loss", LOGS)
def test_of_a_poor_loss_beside_other_series(loss: str) -> None:
    ask_all(logged(LOGS[loss], LOGS["a line"], {}), LOGS[loss])


def test_of_a_run_without_any_series() -> None:
    ask_all(Run("made", "made", ()), [])
