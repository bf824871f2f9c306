"""Simulated healthy trainings: the shapes of a loss that went well, and what is logged beside."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Final

import numpy as np
from _healthy_noise import MOST, NOISES, FloatArray, bf16

from spikedoc.model.metric import Metric
from spikedoc.model.run import ConfigValue, Run, Series

INTERVALS: Final = (1, 1, 5, 10, 50, 100)
MOST_POINTS: Final = 20_000
LEAST_POINTS: Final = 100
# Every hundredth run is logged at each of a million steps.
LONG_EVERY: Final = 100
LONG_STEPS: Final = 1_000_000
EVALUATIONS: Final = (5, 120)


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
}


@dataclass(frozen=True)
class Healthy:
    """A simulated run with the names of its shape and noise."""

    shape: str
    noise: str
    run: Run


def healthy_run(number: int, seed: int) -> Healthy:
    """Return run `number` of the series that `seed` starts: shapes and noises in turn."""
    rng = np.random.default_rng([seed, number])
    shape = list(SHAPES)[number % len(SHAPES)]
    noise = list(NOISES)[number // len(SHAPES) % len(NOISES)]
    n, interval = _length(rng, number)
    course = SHAPES[shape](rng, n)
    loss = _noisy(rng, course, noise)
    steps = interval * np.arange(1, n + 1, dtype=np.int64)
    parts = [_series(Metric.LOSS, steps, loss)]
    for metric, values in course.beside.items():
        if metric is not Metric.LR or rng.random() < 0.7:
            parts.append(_series(metric, steps, values))
    parts += [_series(Metric.OTHER, steps, values, tag) for tag, values in course.tags.items()]
    if Metric.GRAD_NORM not in course.beside and rng.random() < 0.5:
        growth = np.exp(rng.normal(0.0, rng.uniform(0.1, 0.5), n) + rng.uniform(-0.5, 1) * _time(n))
        parts.append(_series(Metric.GRAD_NORM, steps, growth))
    if course.validated and rng.random() < 0.5:
        parts.append(_validation(rng, course.loss, steps))
    run = Run(f"{shape}, {noise}", str(number), tuple(parts), config=dict(course.config))
    return Healthy(shape, noise, run)


def _length(rng: np.random.Generator, number: int) -> tuple[int, int]:
    """Return points logged and steps between them: 1,000 to 1,000,000 steps in all."""
    if number % LONG_EVERY == 0:
        return LONG_STEPS, 1
    total = 10.0 ** rng.uniform(3.0, 6.0)
    intervals = [k for k in INTERVALS if LEAST_POINTS <= total / k <= MOST_POINTS]
    interval = int(rng.choice(intervals))
    return int(total / interval), interval


def _noisy(rng: np.random.Generator, course: Course, noise: str) -> FloatArray:
    sigma = float(rng.uniform(*course.sigma))
    drawn = NOISES[noise](rng, course.loss.size, sigma)
    loss = course.loss * np.exp(np.clip(drawn, -MOST, MOST))
    return bf16(loss) if noise == "bf16 grid" else loss


def _validation(rng: np.random.Generator, loss: FloatArray, steps: np.ndarray) -> Series:
    """Return evaluations of the same course, a little above it and with its own noise."""
    count = int(np.clip(rng.integers(*EVALUATIONS), 2, loss.size // 4))
    at = np.linspace(loss.size // count, loss.size - 1, count).astype(np.int64)
    scatter = np.exp(rng.normal(0.0, rng.uniform(0.002, 0.05), count))
    return _series(Metric.VAL_LOSS, steps[at], loss[at] * rng.uniform(1.0, 1.2) * scatter)


def _series(metric: Metric, steps: np.ndarray, values: FloatArray, tag: str = "") -> Series:
    name = f"{metric.value}:{tag}" if tag else metric.value
    return Series(metric, name, tag or f"train/{metric.value}", steps, np.array(values))


# Between repetitions the level differs a little, as with another seed; the shape is the same.
LEVEL_SPREAD: Final = 0.05
REPEATED_POINTS: Final = (200, 3000)


def repetitions(number: int, count: int, seed: int = 77) -> list[Run]:
    """Return `count` repetitions of simulated project `number`: one course, noises of their own."""
    drawn = np.random.default_rng([seed, number])
    shape = list(SHAPES)[number % len(SHAPES)]
    noise = list(NOISES)[number // len(SHAPES) % len(NOISES)]
    n = int(drawn.integers(*REPEATED_POINTS))
    course = SHAPES[shape](drawn, n)
    steps = np.arange(1, n + 1, dtype=np.int64)
    sigma = float(drawn.uniform(*course.sigma))
    alike = replace(course, sigma=(sigma, sigma))
    evaluations = int(drawn.integers(*EVALUATIONS))
    return [
        _repeated(np.random.default_rng([seed, number, again]), alike, noise, steps, evaluations)
        for again in range(count)
    ]


def _repeated(
    rng: np.random.Generator, course: Course, noise: str, steps: np.ndarray, evaluations: int
) -> Run:
    level = float(np.exp(rng.normal(0.0, LEVEL_SPREAD)))
    parts = [_series(Metric.LOSS, steps, level * _noisy(rng, course, noise))]
    parts += [_series(metric, steps, values) for metric, values in course.beside.items()]
    parts += [_series(Metric.OTHER, steps, values, tag) for tag, values in course.tags.items()]
    if course.validated:
        at = np.linspace(steps.size // 10, steps.size - 1, evaluations).astype(np.int64)
        scatter = level * np.exp(rng.normal(0.0, 0.02, evaluations))
        parts.append(_series(Metric.VAL_LOSS, steps[at], course.loss[at] * scatter))
    return Run("repeated", "", tuple(parts), config=dict(course.config))
