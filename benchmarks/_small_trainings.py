"""Small trainings that really run, in numpy: repetitions differ in the seed alone."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

import numpy as np
from numpy.typing import NDArray

from spikedoc.model.metric import Metric
from spikedoc.model.run import Run, Series

FloatArray = NDArray[np.float64]
Layers = list[tuple[FloatArray, FloatArray]]
Wanted = NDArray[np.int64] | FloatArray  # class of each point, or a number
Points = tuple[FloatArray, Wanted]


@dataclass(frozen=True)
class Project:
    """What is trained and how; the data is that of the project, drawn from its name."""

    name: str
    classes: int  # 0: a regression
    hidden: tuple[int, ...]
    batch: int
    steps: int
    lr: float
    adam: bool
    schedule: str  # "constant", "cosine" or "steps"
    log_every: int
    eval_every: int
    spread: float = 1.0  # of the clusters: how hard the task is
    size: int = 2000


PROJECTS: Final = (
    Project("softmax-sgd", 10, (), 32, 1200, 0.05, False, "cosine", 1, 100, 1.6),
    Project("mlp-adam", 10, (64,), 64, 1500, 2e-3, True, "constant", 5, 60, 1.2),
    Project("mlp-small-batch", 6, (32,), 4, 2000, 0.01, False, "constant", 5, 200, 1.0),
    Project("mlp-deep-cosine", 10, (48, 48), 64, 1200, 3e-3, True, "cosine", 2, 40, 1.4),
    Project("regression-steps", 0, (32,), 32, 1600, 0.05, False, "steps", 5, 50),
    Project("regression-adam", 0, (64,), 128, 1000, 3e-3, True, "cosine", 1, 100),
    Project("near-zero-loss", 5, (64,), 64, 1800, 3e-3, True, "constant", 1, 90, 0.5),
    Project("overfits-a-little", 10, (96,), 32, 1500, 2e-3, True, "constant", 10, 50, 1.8, 600),
    Project("few-steps", 10, (32,), 64, 200, 5e-3, True, "cosine", 2, 40, 1.2),
    Project("per-epoch", 10, (48,), 64, 1500, 2e-3, True, "cosine", 30, 30, 1.4),
)  # fmt: skip
DIMENSIONS: Final = 24
MOMENTUM: Final = 0.9
BETAS: Final = (0.9, 0.999)


def repetition(project: Project, seed: int) -> Run:
    """Train the project once: `seed` draws the weights and the order of the batches."""
    data, held_out = _data(project)
    rng = np.random.default_rng([seed, 17])
    layers = _weights(project, rng)
    state = [[np.zeros_like(part) for part in layer for _ in range(2)] for layer in layers]
    rows: dict[Metric, list[tuple[int, float]]] = {}
    for step, chosen in enumerate(_batches(project, rng), 1):
        lr = project.lr * _factor(project, step)
        loss, gradients = _gradients(project, layers, data[0][chosen], data[1][chosen])
        norm = np.sqrt(sum(float((g**2).sum()) for pair in gradients for g in pair))
        _update(project, layers, gradients, state, lr, step)
        if step % project.log_every == 0:
            speed = 900.0 * float(np.exp(rng.normal(0.0, 0.05)))
            logged = {Metric.LOSS: loss, Metric.GRAD_NORM: float(norm), Metric.LR: lr}
            for metric, value in (logged | {Metric.THROUGHPUT: speed}).items():
                rows.setdefault(metric, []).append((step, value))
        if step % project.eval_every == 0:
            for metric, value in _evaluated(project, layers, held_out).items():
                rows.setdefault(metric, []).append((step, value))
    series = tuple(_series(metric, found) for metric, found in rows.items())
    return Run(f"{project.name}-{seed}", project.name, series)


def _data(project: Project) -> list[Points]:
    rng = np.random.default_rng(sum(project.name.encode()))
    if project.classes:
        centres = rng.normal(0.0, 1.0, (project.classes, DIMENSIONS))
        found: list[Points] = []
        for size in (project.size, 1000):
            labels = rng.integers(0, project.classes, size)
            points = centres[labels] + rng.normal(0.0, project.spread, (size, DIMENSIONS))
            found.append((points, labels))
        return found
    plane = rng.normal(0.0, 1.0, (DIMENSIONS, 3)) / np.sqrt(DIMENSIONS)
    out: list[Points] = []
    for size in (project.size, 1000):
        points = rng.normal(0.0, 1.0, (size, DIMENSIONS))
        out.append((points, np.sin(points @ plane).sum(axis=1) + rng.normal(0.0, 0.2, size)))
    return out


def _weights(project: Project, rng: np.random.Generator) -> Layers:
    sizes = (DIMENSIONS, *project.hidden, max(project.classes, 1))
    return [
        (rng.normal(0.0, np.sqrt(2.0 / a) * 0.7, (a, b)), np.zeros(b)) for a, b in pairwise(sizes)
    ]


def _batches(project: Project, rng: np.random.Generator) -> Iterator[NDArray[np.int64]]:
    done = 0
    while True:
        order = rng.permutation(project.size)
        for start in range(0, project.size - project.batch + 1, project.batch):
            if done == project.steps:
                return
            done += 1
            yield order[start : start + project.batch]


def _factor(project: Project, step: int) -> float:
    share = step / project.steps
    if project.schedule == "cosine":
        warm = min(1.0, step / (0.05 * project.steps))
        return warm * (0.02 + 0.98 * 0.5 * (1.0 + math.cos(math.pi * share)))
    if project.schedule == "steps":
        return math.pow(0.1, sum(share >= at for at in (0.5, 0.75)))
    return 1.0


def _outputs(layers: Layers, points: FloatArray) -> list[FloatArray]:
    found = [points]
    for index, (weight, bias) in enumerate(layers):
        out = found[-1] @ weight + bias
        found.append(out if index == len(layers) - 1 else np.maximum(out, 0.0))
    return found


def _loss(project: Project, out: FloatArray, wanted: Wanted) -> tuple[float, FloatArray]:
    """Return the mean loss and its gradient at the outputs."""
    count = len(wanted)
    if not project.classes:
        apart = out[:, 0] - wanted
        return float((apart**2).mean()), (2.0 * apart / count)[:, None]
    shifted = out - out.max(axis=1, keepdims=True)
    likely = np.exp(shifted) / np.exp(shifted).sum(axis=1, keepdims=True)
    loss = -np.log(np.maximum(likely[np.arange(count), wanted], 1e-12)).mean()
    likely[np.arange(count), wanted] -= 1.0
    return float(loss), likely / count


def _gradients(
    project: Project, layers: Layers, points: FloatArray, wanted: Wanted
) -> tuple[float, Layers]:
    outputs = _outputs(layers, points)
    loss, flow = _loss(project, outputs[-1], wanted)
    found: Layers = []
    for index in range(len(layers) - 1, -1, -1):
        found.append((outputs[index].T @ flow, flow.sum(axis=0)))
        if index:
            flow = (flow @ layers[index][0].T) * (outputs[index] > 0)
    return loss, found[::-1]


def _update(
    project: Project,
    layers: Layers,
    gradients: Layers,
    state: list[list[FloatArray]],
    lr: float,
    step: int,
) -> None:
    for layer, gradient, memory in zip(layers, gradients, state, strict=True):
        for index in range(2):
            first, second = memory[2 * index], memory[2 * index + 1]
            if project.adam:
                first += (1.0 - BETAS[0]) * (gradient[index] - first)
                second += (1.0 - BETAS[1]) * (gradient[index] ** 2 - second)
                size = np.sqrt(second / (1.0 - BETAS[1] ** step)) + 1e-8
                layer[index][...] -= lr * first / (1.0 - BETAS[0] ** step) / size
            else:
                first *= MOMENTUM
                first += gradient[index]
                layer[index][...] -= lr * first


def _evaluated(project: Project, layers: Layers, held_out: Points) -> dict[Metric, float]:
    out = _outputs(layers, held_out[0])[-1]
    found = {Metric.VAL_LOSS: _loss(project, out, held_out[1])[0]}
    if project.classes:
        found[Metric.VAL_METRIC] = float((out.argmax(axis=1) == held_out[1]).mean())
    return found


def _series(metric: Metric, rows: list[tuple[int, float]]) -> Series:
    steps, values = zip(*rows, strict=True)
    tag = "val/accuracy" if metric is Metric.VAL_METRIC else metric.value
    name = f"{metric.value}:{tag}" if metric is Metric.VAL_METRIC else metric.value
    return Series(metric, name, tag, np.array(steps, np.int64), np.array(values))
