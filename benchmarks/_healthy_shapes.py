"""The shapes of a loss that went well, without noise, and what belongs to each."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Final

import numpy as np
from _healthy_noise import FloatArray

from spikedoc.model.metric import Metric
from spikedoc.model.run import ConfigValue


@dataclass(frozen=True)
class Course:
    """A loss without noise, the usual noise of its kind (as a log), and what belongs to it."""

    loss: FloatArray
    sigma: tuple[float, float]
    beside: Mapping[Metric, FloatArray] = field(default_factory=dict)
    tags: Mapping[str, FloatArray] = field(default_factory=dict)
    config: Mapping[str, ConfigValue] = field(default_factory=dict)
    validated: bool = True


Shape = Callable[[np.random.Generator, int], Course]


def _time(n: int) -> FloatArray:
    return np.arange(n) / n


def _warm(n: int, share: float) -> FloatArray:
    """Return a linear warm-up over a share of the run, then a cosine."""
    t = _time(n)
    decay = 0.5 * (1.0 + np.cos(np.pi * np.clip((t - share) / (1.0 - share), 0.0, 1.0)))
    return np.where(t < share, (t + 1.0 / n) / share, 0.05 + 0.95 * decay)


def power_law(rng: np.random.Generator, n: int) -> Course:
    """Return a language model's loss."""
    floor, start, slope = rng.uniform(1.5, 3.0), rng.uniform(7.0, 11.0), rng.uniform(0.2, 0.6)
    first = rng.uniform(2.0, 50.0) * n / 2000
    loss = floor + (start - floor) * (1.0 + np.arange(n) / first) ** -slope
    return Course(loss, (0.01, 0.06), {Metric.LR: 3e-4 * _warm(n, rng.uniform(0.005, 0.05))})


def exponential(rng: np.random.Generator, n: int) -> Course:
    """Return a classifier's loss that comes close to zero."""
    floor, rate = 10.0 ** rng.uniform(-2.5, -0.3), rng.uniform(4.0, 25.0)
    return Course(floor + 2.3 * np.exp(-rate * _time(n)), (0.05, 0.3))


def staircase(rng: np.random.Generator, n: int) -> Course:
    """Return a loss that falls where the learning rate is cut to a tenth."""
    t, loss = _time(n), 0.6 + 1.7 * np.exp(-12.0 * _time(n))
    lr = np.full(n, 0.1)
    for at in (rng.uniform(0.4, 0.55), rng.uniform(0.7, 0.8)):
        lr[t >= at] *= 0.1
        loss = loss * np.where(t < at, 1.0, 0.6 + 0.4 * np.exp(-np.maximum(t - at, 0.0) * 150.0))
    return Course(loss, (0.05, 0.2), {Metric.LR: lr})


def cosine(rng: np.random.Generator, n: int) -> Course:
    """Return a loss that falls with a cosine schedule, most of it at the end."""
    lr = _warm(n, rng.uniform(0.01, 0.05))
    loss = 0.8 + 1.5 * np.exp(-15.0 * _time(n)) + 0.5 * lr
    return Course(loss, (0.03, 0.15), {Metric.LR: 1e-3 * lr})


def cyclic(rng: np.random.Generator, n: int) -> Course:
    """Return a loss that breathes with a triangular learning rate."""
    cycles = int(rng.integers(4, 12))
    lr = 0.1 + 0.9 * np.abs(((_time(n) * cycles) % 1.0) * 2.0 - 1.0)
    loss = (0.6 + 1.7 * np.exp(-10.0 * _time(n))) * (1.0 + 0.1 * lr)
    return Course(loss, (0.03, 0.15), {Metric.LR: 0.05 * lr})


def warm_restarts(rng: np.random.Generator, n: int) -> Course:
    """Return a loss that jumps a little at each warm restart and ends lower after it."""
    cycles = int(rng.integers(3, 6))
    phase = (_time(n) * cycles) % 1.0
    lr = 0.02 + 0.98 * 0.5 * (1.0 + np.cos(np.pi * phase))
    loss = (0.5 + 1.8 * np.exp(-10.0 * _time(n))) * (1.0 + rng.uniform(0.05, 0.3) * lr)
    return Course(loss, (0.03, 0.15), {Metric.LR: 0.1 * lr})


def warmup_bump(rng: np.random.Generator, n: int) -> Course:
    """Return a loss that rises a little where the warm-up ends, and recovers."""
    end = rng.uniform(0.01, 0.03)
    bump = 1.0 + rng.uniform(0.05, 0.25) * np.exp(-(((_time(n) - end) / (0.3 * end)) ** 2))
    loss = (2.0 + 6.0 * np.exp(-60.0 * _time(n)) + np.exp(-4.0 * _time(n))) * bump
    return Course(loss, (0.01, 0.06), {Metric.LR: 6e-4 * _warm(n, end)})


def reinforcement(rng: np.random.Generator, n: int) -> Course:
    """Return a policy optimisation whose value loss grows with the returns."""
    reward = 200.0 / (1.0 + np.exp(-10.0 * (_time(n) - 0.4))) + rng.normal(0.0, 15.0, n)
    loss = 0.5 + 30.0 * _time(n) ** 2 + 5.0 * np.exp(-8.0 * _time(n))
    tags = {"rollout/ep_rew_mean": reward, "train/entropy_loss": -0.7 + 0.4 * _time(n)}
    return Course(loss, (0.3, 0.8), {Metric.REWARD: reward}, tags, validated=False)


def adversarial(rng: np.random.Generator, n: int) -> Course:
    """Return a generator's loss that hovers, beside a discriminator's near its balance."""
    hover = rng.uniform(0.9, 1.6) + 0.3 * np.exp(-5.0 * _time(n))
    other = 1.3 + 0.4 * np.exp(-20.0 * _time(n)) + rng.normal(0.0, 0.1, n)
    return Course(hover, (0.1, 0.3), tags={"dis/loss": other, "gen/fake": hover}, validated=False)


def diffusion(rng: np.random.Generator, n: int) -> Course:
    """Return a denoiser's loss: down at once, then noise for the rest of the run."""
    floor = 10.0 ** rng.uniform(-2.0, -0.7)
    return Course(floor * (1.0 + 12.0 * np.exp(-80.0 * _time(n))), (0.2, 0.45))


def ctc(rng: np.random.Generator, n: int) -> Course:
    """Return an alignment loss: huge, then the plateau of blanks, then it learns."""
    t, leaves = _time(n), rng.uniform(0.08, 0.2)
    learns = 1.0 / (1.0 + np.exp((t - leaves) * 60.0))
    loss = 60.0 * np.exp(-200.0 * t) + 0.3 + 2.6 * learns + 0.6 * np.exp(-4.0 * t)
    return Course(loss, (0.05, 0.15))


def preference(rng: np.random.Generator, n: int) -> Course:
    """Return a DPO loss: begins at ln 2 and falls slowly, in the noise of small batches."""
    margin = rng.uniform(0.5, 2.0) * (1.0 - np.exp(-5.0 * _time(n)))
    loss = np.log1p(np.exp(-margin))
    tags = {f"rewards/{k}": v for k, v in {"chosen": margin, "rejected": -margin}.items()}
    return Course(loss, (0.05, 0.3), tags=tags | {"rewards/margins": 2.0 * margin})


def group_relative(rng: np.random.Generator, n: int) -> Course:
    """Return a GRPO loss: near zero all the time, of either sign, while the reward rises."""
    reward = 0.2 + 0.6 * (1.0 - np.exp(-4.0 * _time(n))) + rng.normal(0.0, 0.05, n)
    loss = 0.002 * _time(n) + rng.normal(0.0, 0.01, n)
    tags = {"completions/mean_length": 200.0 + 50.0 * _time(n)}
    return Course(loss, (0.0, 0.0), {Metric.REWARD: reward}, tags, validated=False)


def epoch_sawtooth(rng: np.random.Generator, n: int) -> Course:
    """Return running means that start anew each epoch: high first, then settling."""
    epochs = int(rng.integers(4, 20))
    phase = (_time(n) * epochs) % 1.0
    level = 0.7 + 1.5 * np.exp(-0.4 * np.floor(_time(n) * epochs))
    loss = level * (1.0 + rng.uniform(0.01, 0.04) * np.exp(-6.0 * phase))
    return Course(loss, (0.02, 0.08), {Metric.EPOCH: np.floor(_time(n) * epochs)})


def fp16(rng: np.random.Generator, n: int) -> Course:
    """Return a run in half precision: the scaler doubles and halves, gradients overflow there."""
    growth = int(np.clip(n // rng.integers(3, 12), 20, 2000))
    scale = np.full(n, 65536.0)
    for start in range(growth, n, growth):
        scale[start : start + 5] *= 2.0
    gradient = np.exp(rng.normal(0.0, 0.3, n))
    gradient[np.flatnonzero(np.diff(scale) < 0)] = np.inf
    loss = 2.0 + 6.0 * np.exp(-20.0 * _time(n)) + np.exp(-3.0 * _time(n))
    beside = {Metric.LOSS_SCALE: scale, Metric.GRAD_NORM: gradient}
    return Course(loss, (0.01, 0.06), beside, config={"precision": "fp16"})


def fine_tuning(rng: np.random.Generator, n: int) -> Course:
    """Return the fine-tuning of a trained model: little to learn, single batches differ."""
    start, gain = rng.uniform(0.6, 1.8), rng.uniform(0.1, 0.5)
    loss = start * (1.0 - gain * (1.0 - np.exp(-rng.uniform(3.0, 12.0) * _time(n))))
    return Course(loss, (0.05, 0.3), {Metric.LR: 2e-5 * _warm(n, 0.05)})


def stable_decay(rng: np.random.Generator, n: int) -> Course:
    """Return a language model's loss whose rate stays up and falls at the end (WSD)."""
    t, last = _time(n), rng.uniform(0.1, 0.3)
    left = np.clip((1.0 - t) / last, 0.02, 1.0)
    loss = 2.2 + 8.0 / (1.0 + 60.0 * t) - 0.15 * (1.0 - left)
    return Course(loss, (0.01, 0.04), {Metric.LR: 1e-3 * np.minimum(1.0, 50.0 * t + 1e-3) * left})


def growing_restarts(rng: np.random.Generator, n: int) -> Course:
    """Return a loss under cycles that double in length (SGDR); the log may end in any of them."""
    length = max(20, int(n * rng.uniform(0.1, 0.3)))
    phases: list[FloatArray] = []
    while sum(p.size for p in phases) < n:
        phases.append(np.arange(length) / length)
        length *= 2
    lr = 1e-4 + 0.5 * (1.0 + np.cos(np.pi * np.concatenate(phases)[:n]))
    reaction = rng.uniform(0.05, 0.3) * lr
    return Course((0.4 + 1.8 / (1.0 + 15.0 * _time(n))) * (1.0 + reaction), (0.02, 0.1),
                  {Metric.LR: 0.1 * lr})  # fmt: skip


def annealed_term(rng: np.random.Generator, n: int) -> Course:
    """Return an autoencoder's loss that rises with the weight of its second term."""
    t = _time(n)
    weight = np.minimum(1.0, t / rng.uniform(0.2, 0.6))
    loss = 90.0 + 150.0 * np.exp(-40.0 * t) + 20.0 * weight
    return Course(loss, (0.01, 0.05), tags={"kl_weight": weight})


def queue(rng: np.random.Generator, n: int) -> Course:
    """Return a contrastive loss that grows while its queue fills, and falls from then on."""
    t = _time(n)
    loss = rng.uniform(1.0, 6.0) + 6.0 * (1.0 - np.exp(-40.0 * t)) - rng.uniform(1.0, 3.0) * t
    right = 0.7 * (1.0 - np.exp(-4.0 * t)) + rng.normal(0.0, 0.02, n)
    return Course(loss, (0.01, 0.04), tags={"train/acc": np.clip(right, 0.0, 1.0)}, validated=False)


def self_distilled(rng: np.random.Generator, n: int) -> Course:
    """Return a loss against a teacher that learns too: down at once, then slowly up."""
    t = _time(n)
    loss = 0.25 + 1.5 * np.exp(-60.0 * t) + rng.uniform(0.02, 0.15) * (1.0 - np.exp(-3.0 * t))
    momentum = 1.0 - 0.002 * (1.0 + np.cos(np.pi * t))
    return Course(loss, (0.01, 0.05), tags={"ema_momentum": momentum}, validated=False)


def tuned_denoiser(rng: np.random.Generator, n: int) -> Course:
    """Return a trained denoiser that is fine-tuned: what it learns hardly shows in the noise."""
    level, gain = 10.0 ** rng.uniform(-1.5, -0.5), rng.uniform(0.05, 0.15)
    return Course(level * (1.0 - gain * _time(n)), (0.3, 0.6), {Metric.LR: np.full(n, 1e-4)},
                  validated=False)  # fmt: skip


SHAPES: Final[dict[str, Shape]] = {
    "power law": power_law,
    "exponential": exponential,
    "staircase lr": staircase,
    "cosine lr": cosine,
    "cyclic lr": cyclic,
    "warm restarts": warm_restarts,
    "warm-up bump": warmup_bump,
    "reinforcement learning": reinforcement,
    "adversarial": adversarial,
    "diffusion": diffusion,
    "CTC": ctc,
    "preference (DPO)": preference,
    "group-relative policy (GRPO)": group_relative,
    "epoch sawtooth": epoch_sawtooth,
    "fp16 scaler": fp16,
    "fine-tuning": fine_tuning,
    "stable, then decay (WSD)": stable_decay,
    "restarts, each twice as long": growing_restarts,
    "annealed term (VAE)": annealed_term,
    "contrastive with a queue": queue,
    "self-distilled": self_distilled,
    "fine-tuned diffusion": tuned_denoiser,
}
