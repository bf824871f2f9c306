"""Every discovered detector on broken series: no exception, no warning, spans inside the run.

A new detector is tested here before its author writes a test.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest

import spikedoc.detectors
from spikedoc.classifier.classify import classify
from spikedoc.detectors.base import Detector
from spikedoc.model.anomaly import Detection
from spikedoc.model.label import FORMS
from spikedoc.model.metric import Metric
from spikedoc.model.run import Restart, Run, Series
from spikedoc.plugins import discover

DETECTORS: dict[str, Detector] = discover(spikedoc.detectors, "DETECTOR")
N = 400


def course() -> np.ndarray:
    noise = np.random.default_rng(0).normal(0.0, 0.05, N)
    return (1.0 + 2.0 * np.exp(-np.arange(N) / 40.0)) * np.exp(noise)


def changed(at: slice | int, value: float) -> np.ndarray:
    values = course()
    values[at] = value
    return values


SALTS: dict[str, Callable[[], np.ndarray]] = {
    "healthy": course,
    "empty": lambda: np.zeros(0),
    "one": lambda: np.array([2.3]),
    "one-nan": lambda: np.array([math.nan]),
    "two": lambda: np.array([2.3, math.nan]),
    "seven": lambda: np.arange(7.0),
    "fifty-nine": lambda: course()[:59],
    "sixty": lambda: course()[:60],
    "nan": lambda: np.full(N, math.nan),
    "inf": lambda: np.full(N, math.inf),
    "minus-inf": lambda: np.full(N, -math.inf),
    "one-finite": lambda: np.where(np.arange(N) == 200, 1.0, math.nan),
    "holes": lambda: np.where(np.arange(N) % 3 == 0, math.nan, course()),
    "infinities": lambda: np.where(np.arange(N) % 7 == 0, math.inf, course()),
    "ends-nan": lambda: changed(slice(200, None), math.nan),
    "ends-inf": lambda: changed(slice(200, None), math.inf),
    "starts-nan": lambda: changed(slice(None, 200), math.nan),
    "zeros": lambda: np.zeros(N),
    "minus-zeros": lambda: np.full(N, -0.0),
    "ends-zero": lambda: changed(slice(200, None), 0.0),
    "one-zero": lambda: changed(100, 0.0),
    "one-negative": lambda: changed(100, -1e-9),
    "negative": lambda: -course(),
    "signs": lambda: course() * np.where(np.arange(N) % 2, 1.0, -1.0),
    "constant": lambda: np.full(N, 1.7),
    "one-step": lambda: np.where(np.arange(N) < 200, 1.0, 2.0),
    "line": lambda: np.linspace(5.0, 1.0, N),
    "rising": lambda: np.linspace(1.0, 50.0, N),
    "huge": lambda: 1e300 * course(),
    "huge-signs": lambda: 1e308 * np.sin(np.arange(N)),
    "one-huge": lambda: changed(300, 1e308),
    "one-minus-huge": lambda: changed(300, -1e308),
    "tiny": lambda: 1e-300 * course(),
    "subnormal": lambda: 5e-324 * (1 + np.arange(N) % 3),
    "subnormal-zeros": lambda: 5e-324 * (np.arange(N) % 2),
    "from-tiny-to-huge": lambda: np.logspace(-300, 300, N),
    "from-huge-to-tiny": lambda: np.logspace(300, -300, N),
    "starts-negative": lambda: np.where(np.arange(N) < 4, [-1e9, -1e9, 1.0, 1.0] * (N // 4), 1.0),
    "jitter-of-rounding": lambda: (
        np.where(np.arange(N) < 320, 1.0, 2.0)
        * (1.0 + 1e-14 * ((np.arange(N) >= 330) & (np.arange(N) % 4 == 0)))
    ),
    "two-extremes": lambda: np.where(np.arange(N) < 200, 1e-300, 1e300) * course(),
    "zero-median": lambda: np.where(np.arange(N) % 3 == 0, 1e200, 0.0),
    "float32-max": lambda: np.minimum(1e38 * course() ** 9, 3.4028235e38),
    "two-values": lambda: np.where(np.arange(N) % 50 < 3, 8.0, 1.0),
    "integers": lambda: np.arange(N) % 5 + 1.0,
    "walk": lambda: np.cumsum(np.random.default_rng(1).normal(size=N)),
    "cauchy": lambda: np.random.default_rng(2).standard_cauchy(N),
}  # fmt: skip

STEPS: dict[str, Callable[[int], np.ndarray]] = {
    "plain": lambda n: np.arange(1, n + 1, dtype=np.int64),
    "by-ten": lambda n: 10 * np.arange(n, dtype=np.int64),
    "far": lambda n: 2**62 - n + np.arange(n, dtype=np.int64),
    "farthest": lambda n: 2**63 - 1 - n + np.arange(n, dtype=np.int64),
    "wide": lambda n: (2**62 // max(n, 1)) * np.arange(n, dtype=np.int64),
    "uneven": lambda n: np.arange(n, dtype=np.int64) ** 2,
    "negative": lambda n: np.arange(-n, 0, dtype=np.int64),
}


def salted_run(salt: str, steps: str = "plain", loss: str | None = None) -> Run:
    """Return a run whose every series is salted, the loss perhaps with another salt."""
    parts = []
    for metric in Metric:
        values = SALTS[loss or salt if metric is Metric.LOSS else salt]()
        at = STEPS[steps](values.size)
        parts.append(Series(metric, metric.value, f"x/{metric.value}", at, values))
        if metric in (Metric.GRAD_NORM, Metric.LOSS):
            for rank, kind in enumerate((salt, "healthy", "tiny", salt)):
                own = SALTS[kind]()
                name = f"{metric.value}-rank{rank}"
                parts.append(Series(metric, name, name, STEPS[steps](own.size), own, None, rank))
    middle = int(STEPS[steps](N)[N // 2])
    return Run(
        "salted", "salted", tuple(parts), (Restart(middle, middle + 5, "rewound"),),
        {"steps_per_epoch": 40},
    )  # fmt: skip


def check(run: Run, found: tuple[Detection, ...], name: str) -> None:
    for d in found:
        series = run.named(d.signal)
        assert d.detector == name
        assert series is not None
        for step in (d.first_step, d.peak_step, d.last_step):
            assert type(step) is int
            assert step in series.steps
        assert d.first_step <= d.peak_step <= d.last_step
        for key, value in d.measures.items():
            assert type(value) is float, key
            assert not math.isnan(value), key


def check_all(run: Run) -> None:
    """Run every detector and the classifier on what they find."""
    found: list[Detection] = []
    for name, detector in DETECTORS.items():
        own = detector(run)
        check(run, own, name)
        found += own
    for a in classify(run, tuple(found)):
        assert run.named(a.signal) is not None
        assert run.first_step <= a.start_step <= a.peak_step <= a.end_step <= run.last_step
        assert 0.0 < a.confidence <= 1.0
        assert a.form is None or a.form in FORMS[a.kind]
        for key, value in a.measures.items():
            assert type(value) is float, key


@pytest.mark.parametrize("salt", SALTS)
def test_every_detector_bears_broken_series(salt: str) -> None:
    check_all(salted_run(salt))


@pytest.mark.parametrize("loss", ["huge-signs", "one-finite", "empty", "one-step"])
@pytest.mark.parametrize("salt", ["healthy", "holes", "huge", "two-extremes", "ends-nan"])
def test_every_detector_bears_a_loss_unlike_the_rest(salt: str, loss: str) -> None:
    check_all(salted_run(salt, loss=loss))


@pytest.mark.parametrize("steps", STEPS)
@pytest.mark.parametrize("salt", ["healthy", "holes", "one-huge", "two-values", "rising"])
def test_every_detector_bears_odd_steps(salt: str, steps: str) -> None:
    check_all(salted_run(salt, steps))


@pytest.mark.parametrize("name", DETECTORS)
def test_a_detector_is_silent_without_series(name: str) -> None:
    assert DETECTORS[name](Run("bare", "bare", ())) == ()
