"""Repetitions of one made-up training, with the seed alone between them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from spikedoc.model.metric import Metric
from spikedoc.model.run import Run, Series

STEPS = np.arange(1, 1001, dtype=np.int64)
SIGNALS = {
    "loss": Metric.LOSS, "val_loss": Metric.VAL_LOSS, "grad_norm": Metric.GRAD_NORM,
    "lr": Metric.LR, "throughput": Metric.THROUGHPUT, "val_metric:acc": Metric.VAL_METRIC,
    "other:act": Metric.OTHER,
}  # fmt: skip


def healthy(seed: int, last: int = 1000) -> Run:
    """Return repetition number `seed`, logged up to step `last` of 1000."""
    rng = np.random.default_rng([3, seed])
    steps = STEPS[last >= STEPS]
    share = steps / STEPS[-1]
    level = np.exp(rng.normal(0.0, 0.03))
    curve = 0.5 + 2.0 * np.exp(-6.0 * share)
    values = {
        "loss": level * curve * np.exp(rng.normal(0.0, 0.1, steps.size)),
        "grad_norm": np.exp(rng.normal(0.0, 0.2, steps.size)),
        "lr": 1e-3 * (1.01 - share),
        "throughput": 900.0 * np.exp(rng.normal(0.0, 0.03, steps.size)),
        "other:act": 3.0 + rng.normal(0.0, 0.1, steps.size),
    }
    evaluated = {
        "val_loss": level * 1.1 * curve * np.exp(rng.normal(0.0, 0.01, steps.size)),
        "val_metric:acc": 0.9 - 0.6 * np.exp(-6.0 * share) + rng.normal(0.0, 0.002, steps.size),
    }
    parts = [series(name, steps, found) for name, found in values.items()]
    parts += [series(name, steps[24::25], found[24::25]) for name, found in evaluated.items()]
    return Run(f"nightly-{seed}", "runs/nightly", tuple(parts))


def series(name: str, steps: np.ndarray, values: np.ndarray) -> Series:
    return Series(SIGNALS[name], name, name.rpartition(":")[2], steps, np.array(values, float))


def changed(run: Run, name: str, factor: float, first: int = 500, last: int = 1000) -> Run:
    """Return the run with one signal multiplied within [first, last]."""

    def change(one: Series) -> Series:
        inside = (one.steps >= first) & (one.steps <= last)
        return replace(one, values=np.where(inside, one.values * factor, one.values))

    return replace(run, series=tuple(change(s) if s.name == name else s for s in run.series))


def without(run: Run, *names: str) -> Run:
    """Return the run with only the signals that are not named."""
    return replace(run, series=tuple(s for s in run.series if s.name not in names))
