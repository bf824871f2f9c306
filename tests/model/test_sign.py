"""The first sign, and the gradients before it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from spikedoc.model.anomaly import Anomaly
from spikedoc.model.label import Kind, Severity
from spikedoc.model.metric import Metric
from spikedoc.model.run import Run, Series
from spikedoc.model.sign import FIRST_SIGN, first_sign, ordinary_gradients

STEPS = np.arange(600, dtype=np.int64)


def anomaly(kind: Kind = Kind.NONFINITE, measures: Mapping[str, float] | None = None) -> Anomaly:
    values: dict[str, Any] = {"measures": measures or {}}
    return Anomaly(kind, Severity.CRITICAL, 1.0, "loss", 500, 500, 599, **values)


def run(grads: np.ndarray[tuple[int], np.dtype[np.float64]] | None = None) -> Run:
    if grads is None:
        grads = 1.0 + 0.1 * np.random.default_rng(3).normal(size=STEPS.size)
    return Run("run", "run", (Series(Metric.GRAD_NORM, "grad_norm", "grad_norm", STEPS, grads),))


def test_the_sign_is_the_onset_unless_something_came_first() -> None:
    assert first_sign(run(), anomaly()) == 500
    assert first_sign(run(), anomaly(measures={FIRST_SIGN: 430.0})) == 430
    climbing = np.ones(STEPS.size)
    climbing[480:501] = np.geomspace(1.0, 50.0, 21)
    assert 470 <= first_sign(run(climbing), anomaly()) < 500


def test_ordinary_gradients_end_before_the_sign() -> None:
    steps, values = ordinary_gradients(run(), anomaly(measures={FIRST_SIGN: 430.0}), 20)
    assert steps[-1] == 429
    assert values.size > 400
    assert ordinary_gradients(run(), anomaly(), 10_000)[0].size == 0


def test_what_lasts_is_measured_to_the_end_of_the_log() -> None:
    steps, _ = ordinary_gradients(run(), anomaly(Kind.OSCILLATION), 20)
    assert steps[-1] == 599
