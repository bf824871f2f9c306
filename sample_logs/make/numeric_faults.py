"""Cases that end in NaN or at the edge of float16, each through another door."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import tasks
import torch
import writers
from loop import Row, Scaler, Training, classification, constant, cross_entropy, warmup_cosine
from torch import Tensor, nn


def hand_written_divergence(model: nn.Module, batch: tasks.Batch) -> Tensor:
    """Return KL(target || prediction) with softened targets; nothing guards log(0)."""
    inputs, labels = batch
    prediction = torch.softmax(model(inputs), dim=1)
    classes = prediction.shape[1]
    target = nn.functional.one_hot(labels, classes) * 0.9 + 0.1 / classes
    return (target * (target.log() - prediction.log())).sum(dim=1).mean()


def grad_climb_to_nan(run: Path, rng: np.random.Generator) -> None:
    """Train unclipped while a broken running normaliser lets the inputs grow by 1.5 % a step."""
    batch, stride, drift_from, drift = 48, 4, 900, 1.015
    train, held_out = tasks.clusters(rng, classes=8, size=4032)
    index = tasks.order(rng, 4032, batch)
    model = tasks.mlp([24, 64, 64, 64, 64, 8])

    def batches(step: int) -> tasks.Batch:
        chosen = next(index)
        return train[0][chosen] * drift ** max(0, step - drift_from), train[1][chosen]

    def evaluate(net: nn.Module) -> Row:
        return {"val_loss": hand_written_divergence(net, held_out).item()}

    training = Training(
        model, torch.optim.SGD(model.parameters(), lr=0.03, momentum=0.9), batches,
        hand_written_divergence, constant(0.03), 2000, evaluate, eval_every=84,
        steps_per_epoch=84, stop_after_nan=60,
    )  # fmt: skip
    rows = writers.window_means(training.run(), stride)
    names = {
        "step": "step",
        "epoch": "epoch",
        "loss": "loss",
        "grad_norm": "grad_norm",
        "lr": "learning_rate",
        "val_loss": "eval_loss",
    }
    settings = {"logging_steps": stride, "eval_steps": 84, "max_steps": 2000, "save_steps": 400}
    for last in (800, int(rows[-1]["step"])):
        kept = [row for row in rows if row["step"] <= last]
        writers.write_trainer_state(run, kept, names, settings)


def fp16_overflow(run: Path, rng: np.random.Generator) -> None:
    """Train a small vision transformer in mixed precision whose attention scores outgrow float16.

    A parameter group gave the query and key projections 75 times the learning rate.
    """
    size, batch = 1920, 32
    (pictures, labels), held_out = tasks.shapes(rng, size, noise=0.3)
    index = tasks.order(rng, size, batch)
    model = tasks.PatchNet()
    fast = [p for name, p in model.named_parameters() if "query_key" in name]
    slow = [p for name, p in model.named_parameters() if "query_key" not in name]
    groups = [{"params": slow, "factor": 1.0}, {"params": fast, "factor": 75.0}]

    def batches(_: int) -> tasks.Batch:
        chosen = next(index)
        return pictures[chosen], labels[chosen]

    training = Training(
        model, torch.optim.AdamW(groups, lr=1e-3, weight_decay=0.0), batches, cross_entropy,
        warmup_cosine(1e-3, 100, 20000), 2400, classification(*held_out), eval_every=120,
        steps_per_epoch=60, scaler=Scaler(growth_interval=200), stop_after_nan=160,
        extra=lambda: {"largest_score": model.largest_score()},
    )  # fmt: skip
    names = {
        "loss": "train/loss",
        "grad_norm": "train/grad_norm",
        "loss_scale": "train/loss_scale",
        "lr": "train/lr",
        "largest_score": "train/max_attn_logit",
        "val_loss": "val/loss",
        "val_accuracy": "val/accuracy",
    }
    writers.write_events_tensor(run, writers.every(training.run(), 2), names)


def entropy_by_hand(model: nn.Module, batch: tasks.Batch) -> Tensor:
    """Return a binary cross-entropy from probabilities: log(0) where the sigmoid saturates."""
    inputs, labels = batch
    chance = torch.sigmoid(model(inputs)[:, 0])
    return -(labels * chance.log() + (1 - labels) * (1 - chance).log()).mean()


def nan_in_loss_log0(run: Path, rng: np.random.Generator) -> None:
    """Train a two-class network on a hand-written p log p loss until a sigmoid rounds to one."""
    size, batch = 3200, 32
    train, held_out = tasks.clusters(rng, 2, size, dim=16, spread=0.75)
    index = tasks.order(rng, size, batch)
    model = tasks.mlp([16, 48, 48, 1])

    def batches(_: int) -> tasks.Batch:
        chosen = next(index)
        return train[0][chosen], train[1][chosen]

    def evaluate(net: nn.Module) -> Row:
        return {"val_loss": entropy_by_hand(net, held_out).item()}

    training = Training(
        model, torch.optim.Adam(model.parameters(), lr=3e-4), batches, entropy_by_hand,
        constant(3e-4), 2000, evaluate, eval_every=100, steps_per_epoch=100, stop_after_nan=80,
    )  # fmt: skip
    names = {
        "step": "step",
        "epoch": "epoch",
        "loss": "train_loss",
        "grad_norm": "grad_norm",
        "update_norm": "update_norm",
        "lr": "lr",
        "val_loss": "val_loss",
    }
    writers.write_csv(run / "train.csv", training.run(), names)


def dice_with_root(model: nn.Module, batch: tasks.Batch) -> Tensor:
    """Return a Dice-like loss of raw outputs; the root's slope is infinite at an empty mask."""
    pictures, masks = batch
    outputs = model(pictures)
    overlap = (outputs * masks).sum(dim=(1, 2, 3))
    sizes = ((outputs**2).sum(dim=(1, 2, 3)) * (masks**2).sum(dim=(1, 2, 3))).sqrt()
    return (1 - (overlap + 1e-5) / (sizes + 1e-5)).mean()


def dice_sqrt_nan(run: Path, rng: np.random.Generator) -> None:
    """Train a segmentation network on a Dice loss with a root until a crop holds no object."""
    model = nn.Sequential(
        nn.Conv2d(1, 12, 3, padding=1), nn.ReLU(),
        nn.Conv2d(12, 12, 3, padding=1), nn.ReLU(), nn.Conv2d(12, 1, 3, padding=1),
    )  # fmt: skip
    held_out = tasks.square_crops(rng, 480)

    def evaluate(net: nn.Module) -> Row:
        return {"val_loss": dice_with_root(net, held_out).item()}

    training = Training(
        model, torch.optim.Adam(model.parameters(), lr=1e-3),
        lambda _: tasks.square_crops(rng, 8), dice_with_root, constant(1e-3), 2400,
        evaluate, eval_every=100, stop_after_nan=60,
    )  # fmt: skip
    names = {
        "loss": "Loss/train",
        "grad_norm": "GradNorm/train",
        "lr": "LearningRate",
        "val_loss": "Loss/val",
    }
    writers.write_events_tensor(run, training.run(), names)


CASES = {
    "grad_climb_to_nan": grad_climb_to_nan,
    "fp16_overflow": fp16_overflow,
    "nan_in_loss_log0": nan_in_loss_log0,
    "dice_sqrt_nan": dice_sqrt_nan,
}
