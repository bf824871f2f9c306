"""Runs with one event each, in several sizes, alone and beside everything else that is logged."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial

import numpy as np
import synth
from synth import Labelled

from spikedoc.model.metric import Metric
from spikedoc.model.run import ConfigValue, Run, Series

EVENTS: dict[str, Callable[[], Labelled]] = {
    "healthy": synth.healthy,
    "healthy heavy tails": partial(synth.healthy, kind="t3", sigma=0.1),
    "healthy noisy": partial(synth.healthy, "fine-tune", sigma=0.3),
    "healthy short": partial(synth.healthy, n=90),
    "spike": synth.spike,
    "spike small": partial(synth.spike, 1.2),
    "spike large": partial(synth.spike, 12.0, at=300),
    "spike wide": partial(synth.spike, 1.6, width=6),
    "spike at the end": partial(synth.spike, at=1995),
    "spike in noise": partial(synth.spike, 2.0, sigma=0.2),
    "spikes": synth.spikes,
    "spikes few": partial(synth.spikes, 2, 1.8),
    "slow recovery": synth.slow_recovery,
    "slow recovery quick": partial(synth.slow_recovery, 6.0, 8.0),
    "slow recovery long": partial(synth.slow_recovery, 1.5, 250.0),
    "level shift": synth.level_shift,
    "level shift small": partial(synth.level_shift, 1.08),
    "level shift down": partial(synth.level_shift, 0.7),
    "level shift large": partial(synth.level_shift, 4.0, at=300),
    "divergence": synth.divergence,
    "divergence small": partial(synth.divergence, to=1.6),
    "divergence early": partial(synth.divergence, at=150, n=600),
    "divergence to nan": synth.divergence_to_nan,
    "drift": synth.drift,
    "drift small": partial(synth.drift, 1.1),
    "short climb": synth.short_climb,
    "comb": synth.comb,
    "comb low": partial(synth.comb, factor=1.15),
    "comb wide": partial(synth.comb, width=4, config=False),
    "comb short": partial(synth.comb, period=20, cycles=12),
    "same order": synth.same_order,
    "burst after evaluation": synth.burst_after_evaluation,
    "bursts": synth.bursts,
    "oscillation": synth.oscillation,
    "oscillation small": partial(synth.oscillation, size=0.3),
    "growing": synth.growing,
    "wave": synth.wave,
    "wave small": partial(synth.wave, 80, 14, 0.06),
    "nan midway": synth.nan_midway,
    "nan for a while": partial(synth.nan_midway, back_after=3),
    "nan from start": synth.nan_from_start,
    "masked nan": synth.masked_nan,
    "zero loss": synth.zero_loss,
    "flat": synth.flat,
    "flat elsewhere": partial(synth.flat, 1.3, sigma=0.05),
    "flat of two": partial(synth.flat, 0.6931, num_classes=2),
    "slow": synth.slow,
    "slow less": partial(synth.slow, 0.2),
    "overfitting": synth.overfitting,
    "overfitting short": partial(synth.overfitting, 300, 10),
    "metric damage": synth.metric_damage,
    "metric damage small": partial(synth.metric_damage, drop=0.02),
    "gradient explosion": synth.gradient_explosion,
    "gradient explosion small": partial(synth.gradient_explosion, factor=15.0),
    "gradient ramp": synth.gradient_ramp,
    "gradient vanishing": synth.gradient_vanishing,
    "clipped always": partial(synth.clipped, 0.4),
    "clipped at times": partial(synth.clipped, 1.1),
    "clipped never": partial(synth.clipped, 20.0),
    "first loss low": partial(synth.first_loss, 0.1),
    "first loss high": partial(synth.first_loss, 6.0),
    "dominant component": synth.dominant_component,
    "lr jump": synth.lr_jump,
    "lr jump small": partial(synth.lr_jump, factor=2.0),
    "lr reset": synth.lr_reset,
    "lr restarts": synth.lr_restarts,
    "lr mismatch": synth.lr_mismatch,
    "loss scale chain": synth.loss_scale_chain,
    "loss scale chain short": partial(synth.loss_scale_chain, halvings=3),
    "loss scale floor": synth.loss_scale_floor,
    "loss scale staircase": synth.loss_scale_staircase,
    "cold optimizer": synth.cold_optimizer,
    "cold optimizer small": partial(synth.cold_optimizer, factor=2.0),
    "resume jump": synth.resume_jump,
    "dirty rank": synth.dirty_rank,
    "dirty rank small": partial(synth.dirty_rank, factor=4.0),
}

CONFIG: dict[str, ConfigValue] = {
    "num_classes": 10, "clip": 1.0, "optimizer": "adamw", "steps_per_epoch": 40, "beta1": 0.9,
    "beta2": 0.999, "eps": 1e-8, "weight_decay": 0.1, "batch_size": 8, "lr": 1e-3,
    "shuffle": True, "label_smoothing": 0.1, "precision": "fp16", "schedule": "cosine",
    "warmup_steps": 50,
}  # fmt: skip


def beside_all(run: Run, seed: int = 77) -> Run:
    """Return the run with what else a training logs, moved by the loss where that moves."""
    loss = run.main_loss
    assert loss is not None
    steps, n = loss.steps, len(loss)
    have = {series.metric for series in run.series}
    level = np.nanmedian(loss.values) if np.isfinite(loss.values).any() else 1.0
    rise = np.clip(np.nan_to_num(loss.values / level, nan=9.0, posinf=9.0), 0.0, 9.0)
    rng = np.random.default_rng(seed)
    grad = rise * np.exp(rng.normal(0.0, 0.1, n))
    lr = synth.cosine_lr(n)
    every = slice(24, None, 25)
    more = {
        Metric.LR: (steps, lr),
        Metric.GRAD_NORM: (steps, grad),
        Metric.UPDATE_NORM: (steps, lr * (1.0 + 0.2 * np.roll(grad, 1))),
        Metric.WEIGHT_NORM: (steps, 10.0 + 1e-3 * np.arange(n)),
        Metric.EPOCH: (steps, np.arange(n) / 40.0),
        Metric.VAL_LOSS: (
            steps[every],
            1.1 * rise[every] * np.exp(rng.normal(0.0, 0.02, n))[every],
        ),
        Metric.TRAIN_METRIC: (steps, np.clip(0.9 - 0.3 * rise, 0.0, 1.0)),
        Metric.VAL_METRIC: (steps[every], np.clip(0.85 - 0.3 * rise[every], 0.0, 1.0)),
    }
    parts = [
        Series(
            metric, metric.value, f"x/{metric.value}", np.array(at), np.array(values, np.float64)
        )
        for metric, (at, values) in more.items()
        if metric not in have and values.size
    ]
    config = {**CONFIG, **run.config}
    return replace(run, series=(*run.series, *parts), config=config)
