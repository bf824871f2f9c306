"""Cases in which the step size is at fault: too large, too small, or thrown back by a schedule."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import tasks
import torch
import writers
from loop import Training, classification, constant, cross_entropy
from torch import nn


def scheduler_unit_mix(run: Path, rng: np.random.Generator) -> None:
    """Train with a warm-up counted in epochs and a cosine counted in steps that starts over.

    The cosine's length was computed for half the epochs that were then trained, and its restart has
    no warm-up because the warm-up looks at the epoch number.
    """
    classes, batch, per_epoch, peak = 67, 32, 50, 0.025
    train, held_out = tasks.clusters(rng, classes, per_epoch * batch, spread=0.95)
    index = tasks.order(rng, per_epoch * batch, batch)
    model = tasks.mlp([24, 96, 96, 96, 96, 96, classes])
    optimizer = torch.optim.AdamW(model.parameters(), lr=peak, weight_decay=0.01)

    def batches(_: int) -> tasks.Batch:
        chosen = next(index)
        return train[0][chosen], train[1][chosen]

    def rate(step: int) -> float:
        position = (step - 1) % (20 * per_epoch) / (20 * per_epoch)
        warmup = min(1.0, step / (3 * per_epoch))
        return peak * warmup * 0.5 * (1 + math.cos(math.pi * position))

    training = Training(
        model, optimizer, batches, cross_entropy, rate, 32 * per_epoch,
        classification(*held_out), eval_every=per_epoch, steps_per_epoch=per_epoch,
    )  # fmt: skip
    names = {
        "loss": "train_loss",
        "grad_norm": "grad_norm",
        "lr": "lr-AdamW",
        "val_loss": "val_loss",
        "val_accuracy": "val_acc",
        "epoch": "epoch",
    }
    hparams = {
        "num_classes": classes,
        "lr": peak,
        "weight_decay": 0.01,
        "batch_size": batch,
        "warmup_epochs": 3,
        "max_epochs": 32,
        "t_max": 20 * per_epoch,
    }
    writers.write_lightning(run, writers.every(training.run(), 2), names, hparams)


def lr_too_high_oscillation(run: Path, rng: np.random.Generator) -> None:
    """Train a classifier by SGD with a rate some ten times too high; it never settles."""
    size, batch = 1920, 32
    train, held_out = tasks.clusters(rng, 10, size, spread=1.2)
    index = tasks.order(rng, size, batch)
    model = tasks.mlp([24, 64, 64, 10], nn.Tanh)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.4, momentum=0.9)

    def batches(_: int) -> tasks.Batch:
        chosen = next(index)
        return train[0][chosen], train[1][chosen]

    training = Training(
        model, optimizer, batches, cross_entropy, constant(0.4), 1500,
        classification(*held_out), eval_every=60, steps_per_epoch=60,
    )  # fmt: skip
    names = {
        "loss": "train_loss_step",
        "lr": "lr-SGD",
        "grad_norm": "grad_2.0_norm_total",
        "val_loss": "val_loss",
        "val_accuracy": "val_acc",
        "epoch": "epoch",
    }
    hparams = {"num_classes": 10, "optimizer": "SGD", "lr": 0.4, "momentum": 0.9, "batch_size": 32}
    writers.write_lightning(run, training.run(), names, hparams)


def wrong_lr_flat(run: Path, rng: np.random.Generator) -> None:
    """Train by plain SGD with a rate taken over from an Adam recipe: nothing moves."""
    size, batch = 1280, 32
    (pictures, labels), held_out = tasks.shapes(rng, size)
    index = tasks.order(rng, size, batch)
    model = tasks.mlp([144, 64, 64, 10])
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-4)

    def batches(_: int) -> tasks.Batch:
        chosen = next(index)
        return pictures[chosen].flatten(1), labels[chosen]

    training = Training(
        model, optimizer, batches, cross_entropy, constant(1e-4), 1200,
        classification(held_out[0].flatten(1), held_out[1]), eval_every=40, steps_per_epoch=40,
    )  # fmt: skip
    keys = ("step", "epoch", "loss", "grad_norm", "update_norm", "lr", "val_loss", "val_accuracy")
    writers.write_csv(run / "progress.csv", training.run(), {k: k for k in keys})
    settings = {"num_classes": 10, "optimizer": "SGD", "lr": 1e-4, "momentum": 0.0}
    writers.write_settings(run / "config.json", settings)


CASES = {
    "scheduler_unit_mix": scheduler_unit_mix,
    "lr_too_high_oscillation": lr_too_high_oscillation,
    "wrong_lr_flat": wrong_lr_flat,
}
