"""Broken series of every kind, and runs made of them: what readers let through a log may hold."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from spikedoc.model.metric import Metric
from spikedoc.model.run import Checkpoint, Restart, Run, Series

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
    "one-largest": lambda: changed(300, np.finfo(np.float64).max),
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
    "ends-negative": lambda: np.where(np.arange(34) < 30, 1.0, -1.0),
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
    """Return a run whose every series is salted, the loss perhaps with another salt.

    It has no reward, which would make every finding a remark.
    """
    parts = []
    for metric in Metric:
        if metric is Metric.REWARD:
            continue
        values = SALTS[loss or salt if metric is Metric.LOSS else salt]()
        at = STEPS[steps](values.size)
        clock = 1.7e9 + np.arange(values.size, dtype=np.float64)
        parts.append(Series(metric, metric.value, f"x/{metric.value}", at, values, clock))
        if metric in (Metric.GRAD_NORM, Metric.LOSS):
            for rank, kind in enumerate((salt, "healthy", "tiny", salt)):
                own = SALTS[kind]()
                name = f"{metric.value}-rank{rank}"
                parts.append(Series(metric, name, name, STEPS[steps](own.size), own, None, rank))
    middle = int(STEPS[steps](N)[N // 2])
    return Run(
        "salted", "salted", tuple(parts), (Restart(middle, middle + 5, "rewound"),),
        {"steps_per_epoch": 40, "batch_size": 8, "lr": 1e-3, "clip": 1.0, "optimizer": "adamw"},
        (Checkpoint(middle, "ckpt/1"), Checkpoint(None, "ckpt/last")),
    )  # fmt: skip
