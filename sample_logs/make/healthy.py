"""Trainings with nothing wrong, each with a trait that looks like trouble at first sight."""

from __future__ import annotations

import copy
from pathlib import Path

import numpy as np
import tasks
import torch
import writers
from loop import Scaler, Training, classification, constant, cross_entropy, warmup_cosine


def healthy_noisy_small_batch(run: Path, rng: np.random.Generator) -> None:
    """Train with four samples a batch: the loss jumps about and learns all the same."""
    size, batch = 4000, 4
    train, held_out = tasks.clusters(rng, 10, size, spread=1.6)
    index = tasks.order(rng, size, batch)
    model = tasks.mlp([24, 64, 64, 10])

    def batches(_: int) -> tasks.Batch:
        chosen = next(index)
        return train[0][chosen], train[1][chosen]

    training = Training(
        model, torch.optim.Adam(model.parameters(), lr=5e-4), batches, cross_entropy,
        constant(5e-4), 2400, classification(*held_out), eval_every=200, steps_per_epoch=1000,
    )  # fmt: skip
    names = {k: k for k in ("step", "epoch", "loss", "grad_norm", "lr", "val_loss", "val_accuracy")}
    writers.write_csv(run / "metrics.csv", training.run(), names)
    settings = {"num_classes": 10, "optimizer": "Adam", "lr": 5e-4, "batch_size": batch}
    writers.write_settings(run / "config.json", settings)


def letter_training(rng: np.random.Generator, steps: int, peak: float) -> Training:
    """Return a next-letter model in training on a text it cannot learn by heart."""
    text, letters = tasks.sentences(rng, 60_000)
    text, held_out = text[:50_000], text[50_000:]
    fixed = tasks.windows(held_out, rng, 64, 48)
    model = tasks.LetterNet(letters)
    optimizer = torch.optim.AdamW(model.parameters(), lr=peak, weight_decay=0.01)
    return Training(
        model, optimizer, lambda _: tasks.windows(text, rng, 16, 48), cross_entropy,
        warmup_cosine(peak, 150, steps, floor=0.02), steps, classification(*fixed),
        eval_every=100, clip=1.0,
    )  # fmt: skip


def healthy_cosine_long(run: Path, rng: np.random.Generator) -> None:
    """Train a next-letter model with warm-up, cosine decay, clipping and validation."""
    rows = letter_training(rng, 2400, 4e-3).run()
    names = {
        "loss": "train/loss",
        "grad_norm": "train/grad_norm",
        "lr": "train/learning_rate",
        "val_loss": "eval/loss",
        "val_accuracy": "eval/accuracy",
    }
    writers.write_events_tensor(run, writers.every(rows, 4), names)


def healthy_fp16_scaler(run: Path, rng: np.random.Generator) -> None:
    """Train in mixed precision: now and then the loss scale grows too far and is halved once."""
    size, batch = 1920, 32
    (pictures, labels), held_out = tasks.shapes(rng, size, noise=0.5)
    index = tasks.order(rng, size, batch)
    model = tasks.picture_net()

    def batches(_: int) -> tasks.Batch:
        chosen = next(index)
        noise = torch.tensor(rng.normal(0.0, 0.5, (batch, 1, 12, 12)), dtype=torch.float32)
        return pictures[chosen] + noise, labels[chosen]

    training = Training(
        model, torch.optim.AdamW(model.parameters(), lr=1e-3), batches, cross_entropy,
        warmup_cosine(1e-3, 60, 1800), 1800, classification(*held_out), eval_every=60,
        steps_per_epoch=60, scaler=Scaler(growth_interval=200), clip=5.0,
    )  # fmt: skip
    names = {
        "step": "step",
        "epoch": "epoch",
        "loss": "train_loss",
        "grad_norm": "grad_norm",
        "loss_scale": "loss_scale",
        "lr": "lr",
        "val_loss": "val_loss",
        "val_accuracy": "val_accuracy",
    }
    writers.write_jsonl(run / "log.jsonl", writers.every(training.run(), 2), names)


def healthy_resume(run: Path, rng: np.random.Generator) -> None:
    """Stop a run and resume it with all its state; the steps past the checkpoint appear twice."""
    training = letter_training(rng, 1800, 3e-3)
    names = {
        "loss": "train/loss",
        "grad_norm": "train/grad_norm",
        "update_norm": "train/update_norm",
        "lr": "train/lr",
        "val_loss": "val/loss",
    }
    first = training.run(1, 1000)
    model = copy.deepcopy(training.model.state_dict())
    optimizer = copy.deepcopy(training.optimizer.state_dict())
    first += training.run(1001, 1064)  # the job was stopped here
    training.model.load_state_dict(model)
    training.optimizer.load_state_dict(optimizer)
    second = training.run(1001, 1800)
    pause = 7200.0
    writers.write_events_plain(run, writers.every(first, 4), names)
    writers.write_events_plain(run, writers.every(second, 4), names, writers.START + pause)


CASES = {
    "healthy_noisy_small_batch": healthy_noisy_small_batch,
    "healthy_cosine_long": healthy_cosine_long,
    "healthy_fp16_scaler": healthy_fp16_scaler,
    "healthy_resume": healthy_resume,
}
