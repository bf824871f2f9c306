"""Simulated healthy trainings: shapes of a loss with noise, and what is logged beside."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from _healthy_noise import MOST, NOISES, FloatArray, bf16
from _healthy_shapes import SHAPES, Course

from spikedoc.model.metric import Metric
from spikedoc.model.run import Run, Series

INTERVALS: Final = (1, 1, 5, 10, 50, 100)
MOST_POINTS: Final = 20_000
LEAST_POINTS: Final = 100
# Every hundredth run is logged at each of a million steps.
LONG_EVERY: Final = 100
LONG_STEPS: Final = 1_000_000
EVALUATIONS: Final = (5, 120)


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
    parts += [_series(_role(tag), steps, values, tag) for tag, values in course.tags.items()]
    if Metric.GRAD_NORM not in course.beside and rng.random() < 0.5:
        growth = np.exp(
            rng.normal(0.0, rng.uniform(0.1, 0.5), n) + rng.uniform(-0.5, 1) * np.arange(n) / n
        )
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


def _role(tag: str) -> Metric:
    return Metric.TRAIN_METRIC if tag.endswith("acc") else Metric.OTHER


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
    parts += [_series(_role(tag), steps, values, tag) for tag, values in course.tags.items()]
    if course.validated:
        at = np.linspace(steps.size // 10, steps.size - 1, evaluations).astype(np.int64)
        scatter = level * np.exp(rng.normal(0.0, 0.02, evaluations))
        parts.append(_series(Metric.VAL_LOSS, steps[at], course.loss[at] * scatter))
    return Run("repeated", "", tuple(parts), config=dict(course.config))
