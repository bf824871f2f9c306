"""Synthetic runs with one known fault each, and healthy ones: the truth stands beside the data.

Every function is deterministic in its arguments. Values are made in the log domain: a healthy
course times noise, then the fault.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from spikedoc.model.label import Form, Kind
from spikedoc.model.metric import Metric
from spikedoc.model.run import ConfigValue, Restart, Run, Series

FloatArray = NDArray[np.float64]

SHAPES = ("language", "converged", "fine-tune", "flat fine-tune")
NOISES = ("gauss", "laplace", "t5", "ar")
HEAVY = ("t3", "lognormal")


@dataclass(frozen=True)
class Truth:
    """What was put into a run: the label, and the step at which it begins."""

    kind: Kind
    form: Form | None = None
    step: int | None = None  # None where a pattern has no particular beginning
    tolerance: int = 3  # steps either way

    @property
    def label(self) -> str:
        return f"{self.kind}/{self.form}" if self.form else str(self.kind)


@dataclass(frozen=True)
class Labelled:
    """A run and the truth about it; no truth means healthy."""

    run: Run
    truth: Truth | None = None
    facts: Mapping[str, float] = field(default_factory=dict)


# ------------------------------------------------------------------------------- building blocks


def noise(kind: str, n: int, sigma: float, seed: int) -> FloatArray:
    """Return noise with the standard deviation `sigma` (t3: scaled alike, tails much heavier)."""
    rng = np.random.default_rng(seed)
    if kind == "gauss":
        return sigma * rng.standard_normal(n)
    if kind == "laplace":
        return sigma * rng.laplace(size=n) / np.sqrt(2.0)
    if kind in {"t5", "t3"}:
        freedom = int(kind[1:])
        return sigma * rng.standard_t(freedom, n) / np.sqrt(freedom / (freedom - 2.0))
    if kind == "lognormal":
        skewed = rng.lognormal(0.0, 0.5, n)
        return sigma * (skewed - np.exp(0.125)) / np.sqrt(np.exp(0.25) * (np.exp(0.25) - 1.0))
    if kind == "ar":
        out = np.empty(n)
        level = 0.0
        for i, step in enumerate(rng.standard_normal(n)):
            level = 0.6 * level + 0.8 * step
            out[i] = sigma * level
        return out
    raise ValueError(kind)


def course(shape: str, n: int) -> FloatArray:
    """Return a noiseless healthy loss curve of `n` points."""
    t = np.arange(n) / max(n, 1)
    if shape == "language":
        return 2.2 + 8.6 * np.exp(-t * 25.0) + 1.2 * np.exp(-t * 3.0)
    if shape == "converged":
        return 0.02 + 2.3 * np.exp(-t * 8.0)
    if shape == "fine-tune":
        return 0.9 + 0.7 * np.exp(-t * 4.0)
    if shape == "flat fine-tune":
        return 1.05 - 0.03 * np.sqrt(t)
    raise ValueError(shape)


def curve(
    shape: str = "language", n: int = 2000, kind: str = "gauss", sigma: float = 0.02, seed: int = 0
) -> FloatArray:
    """Return a healthy noisy loss curve."""
    return course(shape, n) * np.exp(noise(kind, n, sigma, seed))


def series(
    values: FloatArray,
    metric: Metric = Metric.LOSS,
    *,
    tag: str = "",
    name: str = "",
    stride: int = 1,
    first: int = 1,
    rank: int | None = None,
) -> Series:
    """Return the series of `values` at every `stride`-th step from `first` on."""
    steps = first + stride * np.arange(len(values), dtype=np.int64)
    value = np.array(values, dtype=np.float64)
    return Series(metric, name or metric.value, tag or f"train/{metric.value}", steps, value,
                  rank=rank)  # fmt: skip


def run(
    *parts: Series,
    config: Mapping[str, ConfigValue] | None = None,
    restarts: tuple[Restart, ...] = (),
) -> Run:
    return Run("synthetic", "synthetic", parts, restarts=restarts, config=config or {})


def summed(run_of_one: Run, *shares: float) -> Run:
    """Return the same run with terms of these shares of its loss logged beside it."""
    (loss,) = run_of_one.all(Metric.LOSS)
    terms = [
        series(share * loss.values, Metric.LOSS_COMPONENT, tag=f"loss_{k}", name=f"term:{k}")
        for k, share in enumerate(shares)
    ]
    return replace(run_of_one, series=(*run_of_one.series, *terms))


def loss_run(values: FloatArray, **config: ConfigValue) -> Run:
    return run(series(values), config=config)


def healthy(
    shape: str = "language", n: int = 2000, kind: str = "gauss", sigma: float = 0.02, seed: int = 0
) -> Labelled:
    return Labelled(loss_run(curve(shape, n, kind, sigma, seed)))


# ------------------------------------------------------------------------------- single events


def spike(factor: float = 3.0, at: int = 1200, *, width: int = 1, n: int = 2000, seed: int = 1,
          sigma: float = 0.02, shape: str = "language") -> Labelled:  # fmt: skip
    """One bad batch: `width` points `factor` times up, then as if nothing had been."""
    values = curve(shape, n, sigma=sigma, seed=seed)
    values[at : at + width] *= factor
    return Labelled(loss_run(values), Truth(Kind.ISOLATED_SPIKE, None, at + 1))


def spikes(count: int = 4, factor: float = 4.0, n: int = 2400, seed: int = 2) -> Labelled:
    """Several bad batches at irregular places."""
    values = curve(n=n, seed=seed)
    rng = np.random.default_rng(seed)
    at = np.sort(rng.choice(np.arange(n // 4, n - 50, 37), count, replace=False))
    values[at] *= factor
    return Labelled(
        loss_run(values), Truth(Kind.ISOLATED_SPIKE, None, int(at[0]) + 1), {"count": count}
    )


def slow_recovery(factor: float = 2.5, tau: float = 40.0, at: int = 1200, n: int = 2400,
                  seed: int = 3) -> Labelled:  # fmt: skip
    """Up at once, back with a time constant of `tau` points."""
    values = curve(n=n, seed=seed)
    after = np.arange(n - at)
    values[at:] *= 1.0 + (factor - 1.0) * np.exp(-after / tau)
    return Labelled(
        loss_run(values), Truth(Kind.SLOW_RECOVERY, None, at + 1), {"tau": tau, "factor": factor}
    )


def level_shift(factor: float = 1.5, at: int = 1200, n: int = 2400, seed: int = 4) -> Labelled:
    """One step to a level `factor` times as high (or low) that stays."""
    values = curve(n=n, seed=seed)
    values[at:] *= factor
    form = Form.UP if factor > 1 else Form.DOWN
    return Labelled(loss_run(values), Truth(Kind.LEVEL_SHIFT, form, at + 1), {"factor": factor})


def divergence(at: int = 1200, n: int = 2000, to: float = 8.0, seed: int = 5) -> Labelled:
    """From `at` on the loss climbs steadily, to `to` times its level at the end."""
    values = curve(n=n, seed=seed)
    values[at:] *= to ** (np.arange(n - at) / (n - at))
    return Labelled(loss_run(values), Truth(Kind.DIVERGENCE, Form.FINITE, at + 1, 100))


def divergence_to_nan(at: int = 900, until: int = 1000, n: int = 1200, seed: int = 28) -> Labelled:
    """The loss climbs away for a hundred points and then is NaN."""
    values = curve(n=n, seed=seed)
    values[at:] *= 1.5 * 20.0 ** np.minimum(np.arange(n - at) / (until - at), 1.0)
    values[until:] = np.nan
    return Labelled(loss_run(values), Truth(Kind.DIVERGENCE, Form.TO_NONFINITE, at + 1, 40))


def settled(n: int = 5000, sigma: float = 0.02, seed: int = 9) -> np.ndarray:
    """Return a course that falls from 5 to 2 in its first tenth or two and stays there."""
    return (2.0 + 3.0 * np.exp(-10.0 * np.arange(n) / n)) * np.exp(noise("gauss", n, sigma, seed))


def drift(rise: float = 1.3, at: int = 1400, n: int = 2400, seed: int = 6) -> Labelled:
    """From `at` on the loss creeps up, evenly, to `rise` times its level at the end."""
    values = curve("fine-tune", n, sigma=0.02, seed=seed)
    values[at:] *= rise ** (np.arange(n - at) / (n - at))
    return Labelled(loss_run(values), Truth(Kind.SUSTAINED_DRIFT, None, at + 1, 150))


def short_climb(n: int = 40, seed: int = 7) -> Labelled:
    """A log of few points whose loss climbs to five times its best."""
    values = 0.4 * np.exp(-np.arange(n) / 6.0) + 0.5
    values[n // 2 :] *= 5.0 ** (np.arange(n - n // 2) / (n - n // 2))
    values *= np.exp(noise("gauss", n, 0.01, seed))
    return Labelled(loss_run(values), Truth(Kind.DIVERGENCE, Form.FINITE, n // 2 + 1, 4))


# ------------------------------------------------------------------------------- patterns


def comb(period: int = 50, cycles: int = 30, *, factor: float = 1.6, phase: int = 17,
         width: int = 1, seed: int = 8, config: bool = True) -> Labelled:  # fmt: skip
    """The same hard batch in each epoch: `width` points up at one phase."""
    n = period * cycles
    values = curve("fine-tune", n, sigma=0.03, seed=seed)
    steps = np.arange(1, n + 1)
    values[((steps - phase) % period) < width] *= factor
    form = Form.EPOCH if config else Form.FIXED_PERIOD
    known = {"steps_per_epoch": period} if config else {}
    truth = Truth(Kind.PERIODIC_SPIKES, form)
    return Labelled(loss_run(values, **known), truth, {"period": period, "phase": phase})


def same_order(period: int = 50, cycles: int = 30, seed: int = 9) -> Labelled:
    """Never reshuffled: every batch has its own difficulty, the same in each epoch."""
    n = period * cycles
    difficulty = np.random.default_rng(seed).normal(0.0, 0.1, period)
    values = curve("fine-tune", n, sigma=0.03, seed=seed) * np.exp(np.tile(difficulty, cycles))
    return Labelled(
        loss_run(values, steps_per_epoch=period), Truth(Kind.PERIODIC_SPIKES, Form.EPOCH),
        {"period": period},
    )  # fmt: skip


def burst_after_evaluation(interval: int = 60, cycles: int = 30, factor: float = 1.5,
                           width: int = 5, seed: int = 10) -> Labelled:  # fmt: skip
    """After each evaluation the training loss is off for `width` steps; epochs have 47 steps."""
    n = interval * cycles
    values = curve("fine-tune", n, sigma=0.03, seed=seed)
    steps = np.arange(1, n + 1)
    inside = (steps % interval >= 1) & (steps % interval <= width) & (steps > interval)
    values[inside] *= factor
    evaluations = np.arange(interval, n + 1, interval)
    held_out = 1.02 * course("fine-tune", n)[evaluations - 1]
    val = series(held_out, Metric.VAL_LOSS, stride=interval, first=interval)
    return Labelled(
        run(series(values), val, config={"steps_per_epoch": 47}),
        Truth(Kind.PERIODIC_SPIKES, Form.AFTER_EVALUATION), {"period": interval},
    )  # fmt: skip


def bursts(count: int = 8, n: int = 2000, seed: int = 11) -> Labelled:
    """A smooth full-batch curve with sharp multi-point bursts."""
    t = np.arange(n)
    values = 0.05 + 2.0 * np.exp(-t / 250.0)
    values *= np.exp(0.002 * np.cumsum(np.random.default_rng(seed).normal(size=n)) / 10.0)
    first = 0
    for k in range(count):
        at = 500 + k * (n - 600) // count + 13 * (k % 3)
        first = first or at
        length = min(60, n - at)
        values[at : at + length] *= 1.0 + 9.0 * np.exp(-np.arange(length) / 6.0)
    return Labelled(loss_run(values), Truth(Kind.SLOW_RECOVERY, None, first + 1), {"count": count})


def oscillation(n: int = 1500, seed: int = 12, size: float = 0.8) -> Labelled:
    """Learns at first, then noise as large as what was learned."""
    values = 1.0 + 1.2 * np.exp(-np.arange(n) / 60.0)
    values += size * np.abs(np.random.default_rng(seed).normal(size=n))
    return Labelled(loss_run(values), Truth(Kind.OSCILLATION, Form.NOISE))


def growing(n: int = 1500, seed: int = 13) -> Labelled:
    """Swings that grow exponentially over the second half."""
    t = np.arange(n)
    size = 0.02 * np.exp(np.maximum(0.0, t - 0.55 * n) / (0.1 * n))
    swing = size * np.random.default_rng(seed).normal(size=n)
    values = (0.5 + 1.5 * np.exp(-t / 150.0)) * np.exp(swing)
    return Labelled(loss_run(values), Truth(Kind.OSCILLATION, Form.GROWING))


def wave(period: int = 200, cycles: int = 10, size: float = 0.15, seed: int = 14) -> Labelled:
    """A smooth swing of the level, as a cyclic schedule makes it."""
    n = period * cycles
    values = curve("fine-tune", n, sigma=0.02, seed=seed)
    values *= np.exp(size * np.sin(2.0 * np.pi * np.arange(n) / period))
    return Labelled(loss_run(values), Truth(Kind.OSCILLATION, Form.WAVE), {"period": period})


# ------------------------------------------------------------------------------- non-finite, flat


def nan_midway(at: int = 800, n: int = 1000, seed: int = 15, back_after: int = 0) -> Labelled:
    """NaN from index `at` on, for good or for `back_after` points."""
    values = curve(n=n, seed=seed)
    values[at : at + back_after if back_after else n] = np.nan
    form = Form.TRANSIENT if back_after else Form.PERSISTENT
    return Labelled(loss_run(values), Truth(Kind.NONFINITE, form, at + 1, 0))


def nan_from_start(n: int = 200) -> Labelled:
    return Labelled(loss_run(np.full(n, np.nan)), Truth(Kind.NONFINITE, Form.FROM_START, 1, 0))


def masked_nan(at: int = 600, n: int = 1000, seed: int = 16) -> Labelled:
    """The loss reads exactly 0.0 from `at` on while the gradient norm is NaN."""
    values = curve(n=n, seed=seed)
    values[at:] = 0.0
    gradient = np.exp(noise("gauss", n, 0.1, seed + 1))
    gradient[at:] = np.nan
    return Labelled(
        run(series(values), series(gradient, Metric.GRAD_NORM)),
        Truth(Kind.NONFINITE, Form.MASKED, at + 1, 0),
    )


def zero_loss(at: int = 600, n: int = 1000, seed: int = 17) -> Labelled:
    """The loss falls to exactly 0.0 and stays there, the gradient norm stays finite."""
    values = curve(n=n, seed=seed)
    values[at:] = 0.0
    gradient = np.exp(noise("gauss", n, 0.1, seed + 1))
    gradient[at:] = 0.0
    return Labelled(
        run(series(values), series(gradient, Metric.GRAD_NORM)),
        Truth(Kind.NON_CONVERGENCE, Form.CONSTANT_ZERO, at + 1, 0),
    )


def flat(level: float = 2.302585, n: int = 800, sigma: float = 0.01, seed: int = 18,
         **config: ConfigValue) -> Labelled:  # fmt: skip
    """Never leaves its first level; by default that of guessing among ten classes."""
    values = level * np.exp(noise("gauss", n, sigma, seed))
    return Labelled(loss_run(values, **config), Truth(Kind.NON_CONVERGENCE, Form.FLAT, 1))


def slow(fall: float = 0.06, n: int = 1000, level: float = 1.9, seed: int = 19) -> Labelled:
    """Falls by `fall` (nats) over the whole log, evenly and measurably."""
    values = level * np.exp(-fall * np.arange(n) / n + noise("gauss", n, 0.01, seed))
    return Labelled(loss_run(values), Truth(Kind.NON_CONVERGENCE, Form.SLOW, 1))


# ------------------------------------------------------------------------------- other signals


def overfitting(n: int = 1000, evaluations: int = 20, seed: int = 20) -> Labelled:
    """Training loss falls throughout; validation turns upwards halfway."""
    train = 0.05 + 2.0 * np.exp(-np.arange(n) / 200.0)
    train *= np.exp(noise("gauss", n, 0.05, seed))
    k = np.arange(evaluations)
    turn = evaluations // 2
    val = np.where(k <= turn, 2.0 - 0.1 * k, 2.0 - 0.1 * turn + 0.08 * (k - turn))
    val *= np.exp(noise("gauss", evaluations, 0.01, seed + 1))
    stride = n // evaluations
    return Labelled(
        run(series(train), series(val, Metric.VAL_LOSS, stride=stride, first=stride)),
        Truth(Kind.OVERFITTING, None, (turn + 1) * stride, 2 * stride),
    )


def metric_damage(at: int = 1200, n: int = 2400, drop: float = 0.1, seed: int = 21) -> Labelled:
    """A slow recovery of the loss after which the accuracy stays `drop` lower."""
    labelled = slow_recovery(at=at, n=n, seed=seed)
    accuracy = 0.8 + noise("gauss", 24, 0.003, seed)
    accuracy[np.arange(100, n + 1, 100) > at] -= drop
    val = series(accuracy, Metric.VAL_METRIC, tag="val/accuracy", name="val_metric",
                 stride=100, first=100)  # fmt: skip
    return Labelled(
        run(*labelled.run.series, val), Truth(Kind.METRIC_DAMAGE, None, at + 1, 3), {"drop": drop}
    )


def gradient_explosion(at: int = 700, n: int = 1000, factor: float = 1e4, seed: int = 22
                       ) -> Labelled:  # fmt: skip
    """The gradient norm grows within fifty steps to `factor` times its level and stays there."""
    gradient = np.exp(noise("gauss", n, 0.15, seed))
    gradient[at:] *= factor ** np.minimum(np.arange(n - at) / 50.0, 1.0)
    return Labelled(
        run(series(curve(n=n, seed=seed)), series(gradient, Metric.GRAD_NORM)),
        Truth(Kind.GRADIENT_EXPLOSION, None, at + 1, 50),
    )


def gradient_ramp(at: int = 700, until: int = 900, n: int = 1000, seed: int = 29) -> Labelled:
    """The gradient norm grows tenfold over two hundred steps before the loss becomes NaN."""
    values = curve(n=n, seed=seed)
    gradient = np.exp(noise("gauss", n, 0.1, seed))
    gradient[at:] *= 10.0 ** np.minimum(np.arange(n - at) / (until - at), 1.0)
    values[until:], gradient[until:] = np.nan, np.nan
    return Labelled(
        run(series(values), series(gradient, Metric.GRAD_NORM)),
        Truth(Kind.GRADIENT_RAMP, None, at + 1, 10),
    )


def gradient_vanishing(at: int = 500, n: int = 1000, seed: int = 30) -> Labelled:
    """The gradient norm falls to nothing within fifty steps while the loss stays where it is."""
    gradient = np.exp(noise("gauss", n, 0.15, seed))
    gradient[at:] *= 1e-6 ** np.minimum(np.arange(n - at) / 50.0, 1.0)
    return Labelled(
        run(series(curve(n=n, seed=seed)), series(gradient, Metric.GRAD_NORM)),
        Truth(Kind.GRADIENT_VANISHING, None, at + 1, 60),
    )


def clipped(threshold: float, n: int = 1000, seed: int = 31) -> Labelled:
    """Gradient norms around 1, clipped at `threshold`: always when low, never when high."""
    gradient = np.exp(noise("gauss", n, 0.15, seed))
    kind = Kind.CLIP_SATURATED if threshold < 1.0 else Kind.CLIP_INACTIVE
    parts = (series(curve(n=n, seed=seed)), series(gradient, Metric.GRAD_NORM))
    return Labelled(run(*parts, config={"clip": threshold}), Truth(kind, None, 1, 0))


def first_loss(ratio: float, n: int = 600, classes: int = 10, seed: int = 32) -> Labelled:
    """A classifier whose first loss is `ratio` times that of guessing, and which learns."""
    values = np.log(classes) * ratio * (0.2 + 0.8 * np.exp(-np.arange(n) / 100.0))
    values[1:] *= np.exp(noise("gauss", n - 1, 0.03, seed))
    form = Form.ABOVE if ratio > 1 else Form.BELOW
    return Labelled(loss_run(values, num_classes=classes), Truth(Kind.FIRST_LOSS_OFF, form, 1, 0))


def dominant_component(n: int = 1000, seed: int = 33) -> Labelled:
    """Two terms of the loss, one of which jumps about by half of its own level and more."""
    main = curve("language", n, sigma=0.02, seed=seed)
    wild = 0.5 * np.exp(noise("gauss", n, 0.8, seed + 1))
    terms = [
        series(v, Metric.LOSS_COMPONENT, tag=f"train/{t}", name=f"loss_component:{t}")
        for t, v in (("main", main), ("aux", wild))
    ]
    return Labelled(
        run(series(main + 0.1 * wild), *terms), Truth(Kind.COMPONENT_DOMINATES, None, 1, 0)
    )


def cosine_lr(n: int, peak: float = 1e-3, warmup: int = 50) -> FloatArray:
    t = np.arange(n)
    decay = 0.5 * peak * (1.0 + np.cos(np.pi * (t - warmup) / max(1, n - warmup)))
    return np.where(t < warmup, peak * (t + 1) / warmup, decay)


def lr_run(lr: FloatArray, restarts: tuple[Restart, ...] = (), seed: int = 23) -> Run:
    return run(series(curve(n=lr.size, seed=seed)), series(lr, Metric.LR), restarts=restarts)


def lr_jump(at: int = 600, n: int = 1000, factor: float = 10.0) -> Labelled:
    """For a hundred steps the learning rate is ten times what the schedule says."""
    lr = cosine_lr(n)
    lr[at : at + 100] *= factor
    return Labelled(lr_run(lr), Truth(Kind.LR_DISCONTINUITY, Form.JUMP, at + 1, 0))


def lr_reset(at: int = 600, n: int = 1000) -> Labelled:
    """A resume begins the schedule anew at its peak."""
    lr = cosine_lr(n)
    lr[at:] = 1e-3 * 0.5 * (1.0 + np.cos(np.pi * np.arange(n - at) / n))
    restart = Restart(at + 1, at, "new-file")
    return Labelled(lr_run(lr, (restart,)), Truth(Kind.LR_DISCONTINUITY, Form.RESET, at + 1, 0))


def lr_restarts(n: int = 1200, cycles: int = 4) -> Labelled:
    """Cosine with warm restarts."""
    t = np.arange(n) % (n // cycles)
    lr = 0.5e-3 * (1.0 + np.cos(np.pi * t / (n // cycles)))
    return Labelled(lr_run(lr), Truth(Kind.LR_DISCONTINUITY, Form.RESTART, n // cycles + 1, 0))


def lr_mismatch(n: int = 1000, floor: float = 5e-5) -> Labelled:
    """A cosine planned for 60 % of the steps runs past its end and comes back up."""
    lr = floor + (0.5e-3 - floor / 2) * (1.0 + np.cos(np.pi * np.arange(n) / (0.6 * n)))
    return Labelled(lr_run(lr), Truth(Kind.LR_DISCONTINUITY, Form.MISMATCH, int(0.6 * n) + 1, 5))


def loss_scale_run(scale: FloatArray, seed: int = 24) -> Run:
    return run(series(curve(n=scale.size, seed=seed)), series(scale, Metric.LOSS_SCALE))


def sawtooth_scale(n: int = 2000, growth: int = 400) -> FloatArray:
    """A healthy dynamic scaler: doubled every `growth` steps, halved soon after."""
    out = np.full(n, 65536.0)
    for start in range(growth, n, growth):
        out[start : start + 7] *= 2.0
    return out


def loss_scale_chain(at: int = 1000, n: int = 2000, halvings: int = 8) -> Labelled:
    """Halved at `halvings` steps in a row, then steady."""
    scale = np.full(n, 65536.0)
    scale[at : at + halvings] = 65536.0 * 0.5 ** np.arange(1, halvings + 1)
    scale[at + halvings :] = 65536.0 * 0.5**halvings
    return Labelled(loss_scale_run(scale), Truth(Kind.LOSS_SCALE_COLLAPSE, Form.CHAIN, at + 1, 0))


def loss_scale_floor(at: int = 1000, n: int = 2000) -> Labelled:
    """Halved step by step down to 1."""
    scale = np.full(n, 65536.0)
    scale[at:] = np.maximum(65536.0 * 0.5 ** np.arange(1, n - at + 1), 1.0)
    return Labelled(loss_scale_run(scale), Truth(Kind.LOSS_SCALE_COLLAPSE, Form.FLOOR, at + 1, 0))


def loss_scale_staircase(n: int = 2000) -> Labelled:
    """One halving every two hundred steps, never a growth."""
    scale = 65536.0 * 0.5 ** np.floor(np.arange(n) / 200.0)
    return Labelled(loss_scale_run(scale), Truth(Kind.LOSS_SCALE_COLLAPSE, Form.STAIRCASE, 201, 0))


def cold_optimizer(at: int = 600, n: int = 1000, factor: float = 4.36, seed: int = 25) -> Labelled:
    """Adam's moments lost at a restart: the update norm jumps and dies away within ten steps."""
    update = np.exp(noise("gauss", n, 0.03, seed))
    update[at:] *= 1.0 + (factor - 1.0) * 0.75 ** np.arange(n - at)
    return Labelled(
        run(series(curve(n=n, seed=seed)), series(update, Metric.UPDATE_NORM),
            restarts=(Restart(at + 1, at, "new-file"),)),
        Truth(Kind.UPDATE_SPIKE, None, at + 1, 0),
    )  # fmt: skip


def resume_jump(at: int = 25, n: int = 50, factor: float = 1.5, seed: int = 26) -> Labelled:
    """After a restart of a short log the loss goes on at a higher level."""
    values = curve("fine-tune", n, sigma=0.02, seed=seed)
    values[at:] *= factor
    return Labelled(
        run(series(values), restarts=(Restart(at + 1, at, "new-file"),)),
        Truth(Kind.RESUME_DISCONTINUITY, None, at + 1, 0),
    )


def dirty_rank(at: int = 500, n: int = 1000, ranks: int = 4, bad: int = 2, factor: float = 20.0,
               seed: int = 27) -> Labelled:  # fmt: skip
    """One rank's gradient norm stands far above the others at one step."""
    parts = [series(curve(n=n, seed=seed))]
    for rank in range(ranks):
        values = np.exp(noise("gauss", n, 0.15, seed + rank))
        if rank == bad:
            values[at] *= factor
        parts.append(series(values, Metric.GRAD_NORM, name=f"grad_norm-rank{rank}", rank=rank))
    return Labelled(
        run(*parts), Truth(Kind.RANK_OUTLIER, None, at + 1, 0), {"rank": bad, "factor": factor}
    )


# One run for each label spikedoc gives today, by name.
def quiet_comb(
    metric: Metric, period: int = 60, first: int = 90, n: int = 1200, seed: int = 45
) -> Labelled:
    """Spikes of the gradient or the update at equal distances, beside a loss that shows nothing."""
    values = np.exp(noise("gauss", n, 0.15, seed))
    values[first::period] *= 15.0
    form = Form.GRADIENT if metric is Metric.GRAD_NORM else Form.UPDATE
    return Labelled(
        run(series(curve(n=n, seed=seed)), series(values, metric)),
        Truth(Kind.PERIODIC_SPIKES, form, first + 1, 0),
    )


def runaway_logits(n: int = 1000, seed: int = 46) -> Labelled:
    """The largest logit doubles every hundred steps from 2 to 2000; the loss is quiet."""
    logits = 2.0 * 2.0 ** (np.arange(n) / 100.0) * np.exp(noise("gauss", n, 0.02, seed))
    parts = (series(curve(n=n, seed=seed)), series(logits, Metric.MAX_LOGIT))
    return Labelled(run(*parts), Truth(Kind.UNBOUNDED_GROWTH, None, 100, 60))


def lost_reward(at: int = 600, n: int = 1000, seed: int = 47) -> Labelled:
    """The reward rises to 5 and is back at 0 from one step on; the loss of the policy is noise."""
    reward = np.minimum(np.arange(n) / 60.0, 5.0)
    reward[at:] = 0.0
    parts = (
        series(noise("gauss", n, 0.1, seed), tag="train/policy_loss"),
        series(reward + noise("gauss", n, 0.5, seed + 1), Metric.REWARD, tag="train/reward"),
    )
    return Labelled(run(*parts), Truth(Kind.QUALITY_LOSS, None, at + 1, 60))


def codebook_collapse(at: int = 300, n: int = 1000, seed: int = 48) -> Labelled:
    """The codes in use fall from 400 to 20 at one step; the loss stands from there on."""
    codes = np.where(np.arange(n) < at, 400.0, 20.0) * np.exp(noise("gauss", n, 0.05, seed))
    loss = np.maximum(3.0 - np.arange(n) * 2.0 / at, 1.0) * np.exp(noise("gauss", n, 0.02, seed))
    parts = (
        series(loss),
        series(
            codes,
            Metric.OTHER,
            tag="train/codebook_perplexity",
            name="other:train/codebook_perplexity",
        ),
    )
    return Labelled(run(*parts), Truth(Kind.DIVERSITY_COLLAPSE, Form.CODES, at + 1, 5))


CASES: dict[str, Callable[[], Labelled]] = {
    "spike": spike,
    "spikes": spikes,
    "slow recovery": slow_recovery,
    "level shift up": level_shift,
    "level shift down": partial(level_shift, 0.5),
    "divergence": divergence,
    "divergence to nan": divergence_to_nan,
    "drift": drift,
    "short climb": short_climb,
    "comb": comb,
    "same order": same_order,
    "comb of unknown period": partial(comb, 50, 30, factor=2.0, width=4, config=False),
    "burst after evaluation": burst_after_evaluation,
    "bursts": bursts,
    "oscillation": oscillation,
    "growing": growing,
    "wave": wave,
    "nan": nan_midway,
    "nan and back": partial(nan_midway, 400, back_after=3),
    "nan from the start": nan_from_start,
    "masked nan": masked_nan,
    "zero loss": zero_loss,
    "flat": flat,
    "slow": slow,
    "overfitting": overfitting,
    "metric damage": metric_damage,
    "gradient explosion": gradient_explosion,
    "gradient ramp": gradient_ramp,
    "gradient vanishing": gradient_vanishing,
    "clip always": partial(clipped, 0.3),
    "clip never": partial(clipped, 50.0),
    "first loss above": partial(first_loss, 2.5),
    "first loss below": partial(first_loss, 0.2),
    "dominant component": dominant_component,
    "lr jump": lr_jump,
    "lr reset": lr_reset,
    "lr restarts": lr_restarts,
    "lr mismatch": lr_mismatch,
    "loss-scale chain": loss_scale_chain,
    "loss-scale floor": loss_scale_floor,
    "loss-scale staircase": loss_scale_staircase,
    "cold optimizer": cold_optimizer,
    "resume jump": resume_jump,
    "dirty rank": dirty_rank,
    "comb of the gradient": partial(quiet_comb, Metric.GRAD_NORM),
    "comb of the update": partial(quiet_comb, Metric.UPDATE_NORM),
    "logits without bound": runaway_logits,
    "lost reward": lost_reward,
    "codebook collapse": codebook_collapse,
}
