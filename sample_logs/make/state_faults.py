"""Cases in which the state of the run is at fault: modes, averages, frozen parts, resumed jobs."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import numpy as np
import tasks
import torch
import writers
from healthy import letter_training
from loop import Row, Training, classification, constant, cross_entropy, warmup_cosine
from torch import Tensor, nn


def frozen_or_detached(run: Path, rng: np.random.Generator) -> None:
    """Train on logits that were detached and then marked as needing a gradient to calm an error."""
    size, batch = 1600, 32
    train, held_out = tasks.clusters(rng, 20, size)
    index = tasks.order(rng, size, batch)
    model = tasks.mlp([24, 64, 64, 20])

    def detached_loss(net: nn.Module, batch: tasks.Batch) -> Tensor:
        logits = net(batch[0]).detach().requires_grad_()
        return nn.functional.cross_entropy(logits, batch[1])

    def batches(_: int) -> tasks.Batch:
        chosen = next(index)
        return train[0][chosen], train[1][chosen]

    training = Training(
        model, torch.optim.AdamW(model.parameters(), lr=1e-3), batches, detached_loss,
        warmup_cosine(1e-3, 100, 1500), 1500,
        classification(*held_out), eval_every=150, steps_per_epoch=50,
    )  # fmt: skip
    rows = writers.window_means(training.run(), 5)
    names = {
        "step": "step",
        "epoch": "epoch",
        "loss": "loss",
        "grad_norm": "grad_norm",
        "lr": "learning_rate",
        "val_loss": "eval_loss",
        "val_accuracy": "eval_accuracy",
    }
    settings = {"logging_steps": 5, "eval_steps": 150, "max_steps": 1500, "num_train_epochs": 30}
    writers.write_trainer_state(run, rows, names, settings)


def overfit(run: Path, rng: np.random.Generator) -> None:
    """Train a wide network for a hundred epochs on 320 samples: it learns them by heart."""
    batch = 16
    train, held_out = tasks.clusters(rng, 8, 320, spread=2.2)
    index = tasks.order(rng, 320, batch)
    model = tasks.mlp([24, 128, 128, 8])

    def batches(_: int) -> tasks.Batch:
        chosen = next(index)
        return train[0][chosen], train[1][chosen]

    training = Training(
        model, torch.optim.Adam(model.parameters(), lr=5e-4), batches, cross_entropy,
        constant(5e-4), 2000, classification(*held_out), eval_every=20, steps_per_epoch=20,
    )  # fmt: skip
    names = {
        "loss": "train_loss",
        "lr": "lr-Adam",
        "val_loss": "val_loss",
        "val_accuracy": "val_acc",
        "epoch": "epoch",
    }
    hparams = {"num_classes": 8, "lr": 5e-4, "batch_size": batch, "weight_decay": 0.0}
    writers.write_lightning(run, writers.every(training.run(), 2), names, hparams)


class WeightAverage:
    """Averaged weights for evaluation, with a bug: it looks for the encoder under an old name.

    The encoder's average is never updated after the first copy, and the encoder is not put back
    after an evaluation.
    """

    def __init__(self, model: nn.Module, decay: float, missed: tuple[str, ...]) -> None:
        """Copy the weights as the first averages."""
        self.model, self.decay, self.missed = model, decay, missed
        self.average = {n: p.detach().clone() for n, p in model.named_parameters()}
        self.live: dict[str, Tensor] = {}

    def update(self) -> None:
        """Move the averages towards the live weights."""
        for name, weight in self.model.named_parameters():
            if not name.startswith(self.missed):
                self.average[name].lerp_(weight.detach(), 1 - self.decay)

    def swap_in(self) -> None:
        """Put the averages into the model."""
        self.live = {n: p.detach().clone() for n, p in self.model.named_parameters()}
        self.load(self.average)

    def swap_back(self) -> None:
        """Put the live weights back, as far as they are found."""
        self.load({n: w for n, w in self.live.items() if not n.startswith(self.missed)})

    def load(self, weights: dict[str, Tensor]) -> None:
        """Copy the given weights into the model."""
        with torch.no_grad():
            for name, weight in self.model.named_parameters():
                if name in weights:
                    weight.copy_(weights[name])


def comb_after_eval(run: Path, rng: np.random.Generator) -> None:
    """Train an autoencoder whose averaged weights are only partly swapped back after evaluation."""
    per_epoch, batch, averaged_from = 96, 32, 260
    signals, held_out = tasks.curve_signals(rng, per_epoch * batch)
    index = tasks.order(rng, per_epoch * batch, batch)
    model = tasks.mlp([48, 96, 16, 96, 48])
    average: list[WeightAverage] = []

    def reconstruction(net: nn.Module, inputs: Tensor) -> Tensor:
        return nn.functional.mse_loss(net(inputs), inputs)

    def after_step(step: int) -> None:
        if step == averaged_from:
            average.append(WeightAverage(model, decay=0.99, missed=("0.", "2.")))
        for weights in average:
            weights.update()

    def evaluate(net: nn.Module) -> Row:
        for weights in average:
            weights.swap_in()
        value = reconstruction(net, held_out).item()
        for weights in average:
            weights.swap_back()
        return {"val_loss": value}

    training = Training(
        model, torch.optim.Adam(model.parameters(), lr=2e-3), lambda _: signals[next(index)],
        reconstruction, lambda step: 2e-3 * min(1.0, step / 100), 1700, evaluate, eval_every=130,
        steps_per_epoch=per_epoch, after_step=after_step,
    )  # fmt: skip
    keys = ("step", "epoch", "loss", "grad_norm", "lr", "val_loss")
    writers.write_jsonl(run / "train_log.jsonl", training.run(), {k: k for k in keys})
    settings = {
        "optimizer": "Adam", "lr": 2e-3, "batch_size": batch, "ema_decay": 0.99,
        "eval_steps": 130, "steps_per_epoch": per_epoch,
    }  # fmt: skip
    writers.write_settings(run / "config.json", settings)


def signal_training(rng: np.random.Generator, steps: int, peak: float) -> Training:
    """Return an autoencoder of signals in training, by Adam with a cosine schedule."""
    size, batch = 3072, 32
    signals, held_out = tasks.curve_signals(rng, size)
    index = tasks.order(rng, size, batch)
    model = tasks.mlp([48, 96, 16, 96, 48])

    def reconstruction(net: nn.Module, inputs: Tensor) -> Tensor:
        return nn.functional.mse_loss(net(inputs), inputs)

    return Training(
        model, torch.optim.Adam(model.parameters(), lr=peak), lambda _: signals[next(index)],
        reconstruction, warmup_cosine(peak, 1, steps, floor=0.002), steps,
        lambda net: {"val_loss": reconstruction(net, held_out).item()}, eval_every=96,
        steps_per_epoch=96,
    )  # fmt: skip


def saved(training: Training) -> dict[str, Any]:
    """Return what a checkpoint holds: weights and optimizer state."""
    parts = {"model": training.model.state_dict(), "optimizer": training.optimizer.state_dict()}
    return copy.deepcopy(parts)


def resume_lr_reset(run: Path, rng: np.random.Generator) -> None:
    """Stop a run late in its schedule and resume it without the scheduler's state."""
    training = signal_training(rng, 1500, 8e-3)
    names = {
        "loss": "train/loss",
        "grad_norm": "train/grad_norm",
        "lr": "train/lr",
        "val_loss": "val/loss",
    }
    first = training.run(1, 1200)
    checkpoint = saved(training)
    first += training.run(1201, 1236)  # the job died here, 36 steps after its last checkpoint
    training.model.load_state_dict(checkpoint["model"])
    training.optimizer.load_state_dict(checkpoint["optimizer"])
    schedule = training.lr
    training.lr = lambda step: schedule(step - 1200)
    second = training.run(1201, 1600)
    pause = 3600.0
    writers.write_events_plain(run, writers.every(first, 2), names)
    writers.write_events_plain(run, writers.every(second, 2), names, writers.START + pause)


def resume_lost_optimizer(run: Path, rng: np.random.Generator) -> None:
    """Stop a run and resume it, in the same log, from its weights alone, with a fresh Adam."""
    training = letter_training(rng, 3000, 3e-3)
    rows = training.run(1, 900)
    checkpoint = saved(training)
    rows = rows + training.run(901, 938)  # the job died here, 38 steps after its last checkpoint
    training.model.load_state_dict(checkpoint["model"])
    training.optimizer = torch.optim.AdamW(training.model.parameters(), weight_decay=0.01)
    rows = rows + training.run(901, 1500)
    keys = ("step", "loss", "grad_norm", "update_norm", "lr", "val_loss", "val_accuracy")
    writers.write_jsonl(run / "metrics.jsonl", writers.every(rows, 2), {k: k for k in keys})
    settings = {"optimizer": "AdamW", "lr": 3e-3, "betas": [0.9, 0.999], "batch_size": 16}
    writers.write_settings(run / "config.json", settings)


CASES = {
    "comb_after_eval": comb_after_eval,
    "frozen_or_detached": frozen_or_detached,
    "overfit": overfit,
    "resume_lr_reset": resume_lr_reset,
    "resume_lost_optimizer": resume_lost_optimizer,
}
