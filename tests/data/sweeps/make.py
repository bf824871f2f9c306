"""Writes the sweeps of this folder: small networks really trained, in numpy alone.

`python make.py` writes the folders beside itself again, the same to the last digit on one machine.

- `lr`: seven learning rates, two seeds each, of a perceptron under SGD with momentum.
- `bad_batch`: three learning rates over one fixed order of data in which one batch has its inputs
  multiplied by a hundred: the same place is met in every epoch of every run.
- `range_test`: one run whose learning rate rises exponentially.
"""

from __future__ import annotations

import csv
import math
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
HERE = Path(__file__).parent
CLASSES, DIM, HIDDEN, BATCH = 10, 24, 32, 32
RATES = (0.0001, 0.0003, 0.001, 0.003, 0.01, 0.03, 0.1)


class Net:
    """A perceptron with one hidden layer, trained by SGD with momentum."""

    def __init__(self, rng: np.random.Generator) -> None:
        """Draw the weights."""
        self.weights = [
            rng.normal(0, math.sqrt(2 / DIM), (DIM, HIDDEN)),
            rng.normal(0, math.sqrt(1 / HIDDEN), (HIDDEN, CLASSES)),
        ]
        self.speed = [np.zeros_like(w) for w in self.weights]

    def step(self, inputs: Array, labels: NDArray[np.int64], rate: float) -> float:
        """Make one update and return the loss before it."""
        first, second = self.weights
        hidden = np.maximum(inputs @ first, 0)
        logits = hidden @ second
        logits = logits - logits.max(axis=1, keepdims=True)
        odds = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
        rows = np.arange(labels.size)
        loss = float(np.mean(-logits[rows, labels] + np.log(np.exp(logits).sum(axis=1))))
        odds[rows, labels] -= 1
        odds /= labels.size
        back = (odds @ second.T) * (hidden > 0)
        for i, gradient in enumerate((inputs.T @ back, hidden.T @ odds)):
            self.speed[i] = 0.9 * self.speed[i] + gradient
            self.weights[i] -= rate * self.speed[i]
        return loss


def stream(rng: np.random.Generator, centres: Array) -> Iterator[tuple[Array, NDArray[np.int64]]]:
    """Yield fresh batches of noisy clusters for ever."""
    while True:
        labels = rng.integers(0, CLASSES, BATCH)
        yield centres[labels] + rng.normal(0, 2.0, (BATCH, DIM)), labels


def train(
    folder: Path,
    batches: Iterator[tuple[Array, NDArray[np.int64]]],
    rate: Callable[[int], float],
    steps: int,
    every: int,
    config: dict[str, float],
) -> None:
    """Train one network, drawn by the seed in its settings, and write its log and these."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    net = Net(np.random.default_rng(int(config["seed"])))
    with (folder / "metrics.csv").open("w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["step", "loss", "lr"])
        with np.errstate(all="ignore"):
            for step in range(steps):
                loss = net.step(*next(batches), rate(step))
                if step % every == 0:
                    writer.writerow([step, f"{loss:.5g}", f"{rate(step):.3g}"])
    lines = [f"{key}: {value}" for key, value in config.items()]
    (folder / "hparams.yaml").write_text("\n".join(lines) + "\n")


def lr_sweep() -> None:
    """Seven learning rates, two seeds each."""
    centres = np.random.default_rng(5).normal(0, 1, (CLASSES, DIM))
    for rate in RATES:
        for seed in (1, 2):
            train(
                HERE / "lr" / f"lr_{rate:g}_seed{seed}",
                stream(np.random.default_rng(100 + seed), centres),
                lambda _, rate=rate: rate,
                600,
                5,
                {"seed": seed, "lr": rate, "momentum": 0.9, "batch_size": BATCH},
            )


def bad_batch() -> None:
    """Three learning rates over one fixed order with one damaged batch."""
    rng = np.random.default_rng(6)
    centres = np.random.default_rng(5).normal(0, 1, (CLASSES, DIM))
    batches = [next(stream(rng, centres)) for _ in range(150)]
    batches[83] = batches[83][0] * 25, batches[83][1]
    for rate in (0.002, 0.004, 0.008):
        train(
            HERE / "bad_batch" / f"lr_{rate:g}",
            iter(batches * 3),
            lambda _, rate=rate: rate,
            450,
            1,
            {"seed": 3, "lr": rate, "momentum": 0.9, "batch_size": BATCH, "shuffle": False}
            | {"steps_per_epoch": 150},
        )


def range_test() -> None:
    """One run from a rate that does nothing to one that breaks it."""
    centres = np.random.default_rng(5).normal(0, 1, (CLASSES, DIM))
    train(
        HERE / "range_test",
        stream(np.random.default_rng(8), centres),
        lambda step: 1e-5 * 10 ** (6 * step / 399),
        400,
        1,
        {"seed": 4, "momentum": 0.9, "batch_size": BATCH},
    )


if __name__ == "__main__":
    lr_sweep()
    bad_batch()
    range_test()
