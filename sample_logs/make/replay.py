"""Makes `sample_logs/replay`: one training with a bad batch, and the replays that take it apart.

    python sample_logs/make/replay.py

A small classifier in NumPy under Adam. The labels of one shard of the data are wrong; the shard is
read at step 560. Each log is a training that really ran, from the start or from a checkpoint:

- `first`: the whole run;
- `same`: from the checkpoint at step 480, with the same data;
- `other_data`: from the same checkpoint, with the data in another order, the bad shard left out;
- `older_state`: from the checkpoint at step 280, with the data from step 480 on;
- `other_seed`: the whole run with another seed, and so another order and another start;
- `lower_lr`: the whole run at a third of the learning rate, same seed.
"""

from __future__ import annotations

import csv
import json
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
OUT = Path(__file__).parents[1] / "replay"
STEPS, BATCH, CLASSES, INPUTS, HIDDEN = 800, 32, 10, 20, 48
BAD_STEP, CHECKPOINT, OLDER, REPLAYED = 560, 480, 280, 160
BETAS, EPS = (0.9, 0.999), 1e-8


@dataclass
class State:
    """Parameters and Adam's moments."""

    weights: list[Array]
    first: list[Array]
    second: list[Array]
    step: int = 0

    def copy(self) -> State:
        """Return a checkpoint."""
        parts = (self.weights, self.first, self.second)
        return State(*([array.copy() for array in part] for part in parts), self.step)


def data_set() -> tuple[Array, NDArray[np.int64]]:
    """Return inputs and labels of a task with some noise in it."""
    rng = np.random.default_rng(1)
    mix, out = rng.standard_normal((INPUTS, INPUTS)), rng.standard_normal((INPUTS, CLASSES))
    inputs = rng.standard_normal((4000, INPUTS))
    score = np.tanh(inputs @ mix / np.sqrt(INPUTS) * 2) @ out
    return inputs, (score + 0.2 * rng.standard_normal(score.shape)).argmax(axis=1)


def batches(seed: int, *, bad: bool = True) -> list[tuple[Array, NDArray[np.int64]]]:
    """Return the batches of all steps in the order of `seed`; that of `BAD_STEP` is mislabelled."""
    inputs, labels = data_set()
    rng = np.random.default_rng(seed)
    order = np.concatenate([rng.permutation(len(labels)) for _ in range(8)])
    found = []
    for step in range(1, STEPS + 1):
        rows = order[(step - 1) * BATCH : step * BATCH]
        wrong = bad and step == BAD_STEP
        found.append((inputs[rows], (labels[rows] + 5) % CLASSES if wrong else labels[rows]))
    return found


def start(seed: int) -> State:
    """Return fresh weights."""
    rng = np.random.default_rng(seed)
    shapes = [(INPUTS, HIDDEN), (HIDDEN,), (HIDDEN, CLASSES), (CLASSES,)]
    scale = [INPUTS**-0.5, 0.0, HIDDEN**-0.5, 0.0]
    weights = [s * rng.standard_normal(shape) for s, shape in zip(scale, shapes, strict=True)]
    return State(weights, [0 * w for w in weights], [0 * w for w in weights])


def update(state: State, batch: tuple[Array, NDArray[np.int64]], lr: float) -> tuple[float, float]:
    """Take one step of Adam in place; return loss and gradient norm."""
    inputs, labels = batch
    w1, b1, w2, b2 = state.weights
    before = inputs @ w1 + b1
    hidden = np.maximum(before, 0.0)
    logits = hidden @ w2 + b2
    odds = np.exp(logits - logits.max(axis=1, keepdims=True))
    odds /= odds.sum(axis=1, keepdims=True)
    rows = np.arange(len(labels))
    loss = float(-np.log(odds[rows, labels]).mean())
    odds[rows, labels] -= 1.0
    odds /= len(labels)
    back = (odds @ w2.T) * (before > 0)
    gradients = [inputs.T @ back, back.sum(axis=0), hidden.T @ odds, odds.sum(axis=0)]
    state.step += 1
    for i, gradient in enumerate(gradients):
        state.first[i] = BETAS[0] * state.first[i] + (1 - BETAS[0]) * gradient
        state.second[i] = BETAS[1] * state.second[i] + (1 - BETAS[1]) * gradient**2
        mean = state.first[i] / (1 - BETAS[0] ** state.step)
        root = np.sqrt(state.second[i] / (1 - BETAS[1] ** state.step))
        state.weights[i] = state.weights[i] - lr * mean / (root + EPS)
    return loss, float(np.sqrt(sum(float((g**2).sum()) for g in gradients)))


@dataclass(frozen=True)
class Plan:
    """One log: which data it takes from which step on, and for how long."""

    name: str
    seed: int = 7
    lr: float = 0.003
    first_step: int = 1
    steps: int = STEPS
    data_seed: int = 7
    bad: bool = True


def run(plan: Plan, state: State, keep: dict[int, State]) -> None:
    """Train, write the log with its settings, and keep checkpoints."""
    folder = OUT / plan.name
    folder.mkdir(parents=True, exist_ok=True)
    stream = batches(plan.data_seed, bad=plan.bad)
    with (folder / "metrics.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["step", "loss", "grad_norm", "lr"])
        for step in range(plan.first_step, plan.first_step + plan.steps):
            loss, norm = update(state, stream[step - 1], plan.lr)
            writer.writerow([step, f"{loss:.8g}", f"{norm:.6g}", plan.lr])
            if step in (CHECKPOINT, OLDER):
                keep[step] = state.copy()
    settings: dict[str, Any] = {
        "optimizer": "adam", "lr": plan.lr, "betas": BETAS, "eps": EPS, "batch_size": BATCH,
        "precision": "fp32", "seed": plan.seed, "data_seed": plan.data_seed,
        "num_classes": CLASSES,
    }  # fmt: skip
    (folder / "config.json").write_text(json.dumps(settings, indent=2) + "\n", encoding="utf-8")


def main() -> None:
    """Make all logs."""
    kept: dict[int, State] = {}
    first = Plan("first")
    run(first, start(first.seed), kept)
    again = replace(first, first_step=CHECKPOINT + 1, steps=REPLAYED)
    run(replace(again, name="same"), kept[CHECKPOINT].copy(), {})
    other = replace(again, name="other_data", data_seed=8, bad=False)
    run(other, kept[CHECKPOINT].copy(), {})
    run(replace(again, name="older_state"), kept[OLDER].copy(), {})
    seed = replace(first, name="other_seed", seed=11, data_seed=11, bad=False)
    run(seed, start(seed.seed), {})
    run(replace(first, name="lower_lr", lr=first.lr / 3, bad=False), start(first.seed), {})


if __name__ == "__main__":
    main()
