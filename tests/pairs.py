"""Pairs of runs whose truth is known: the same run again, other seeds, faults in one of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from spikedoc.model.metric import Metric
from spikedoc.model.run import ConfigValue, Run, Series

Array = NDArray[np.float64]
SETTINGS: Mapping[str, ConfigValue] = {
    "optimizer": "adam", "lr": 0.001, "batch_size": 32, "precision": "fp32", "seed": 1,
}  # fmt: skip


def curve(seed: int = 0, n: int = 600, sigma: float = 0.1, memory: float = 0.0) -> Array:
    """Return a healthy loss of `n` points: a falling level times noise."""
    rng = np.random.default_rng(seed)
    white = rng.standard_normal(n)
    noise = np.empty(n)
    last = 0.0
    for i in range(n):
        last = memory * last + np.sqrt(1 - memory**2) * white[i]
        noise[i] = last
    t = np.arange(n) / 600
    return np.asarray((0.5 + 2.0 * np.exp(-6.0 * t)) * np.exp(sigma * noise))


def series(
    values: Array, metric: Metric = Metric.LOSS, *, first: int = 1, every: int = 1
) -> Series:
    """Return `values` as a series at steps `first`, `first + every` …"""
    steps = first + every * np.arange(values.size, dtype=np.int64)
    return Series(metric, metric.value, metric.value, steps, values.astype(np.float64))


def run(
    values: Array,
    name: str = "a",
    *,
    first: int = 1,
    every: int = 1,
    others: Mapping[Metric, Array] | None = None,
    config: Mapping[str, ConfigValue] = SETTINGS,
) -> Run:
    """Return a run with `values` as its loss."""
    found = [series(values, first=first, every=every)]
    found += [series(v, m, first=first, every=every) for m, v in (others or {}).items()]
    return Run(name, f"runs/{name}", tuple(found), config=dict(config))


def with_config(one: Run, **settings: ConfigValue) -> Run:
    """Return the run with some settings changed."""
    return replace(one, config={**one.config, **settings})


def spiked(values: Array, index: int, factor: float = 12.0) -> Array:
    """Return `values` with one point `factor` times as high."""
    out = values.copy()
    out[index] *= factor
    return out
