"""Cases in which the data are at fault: a label, a picture, a batch, the order."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import tasks
import torch
import writers
from loop import Row, Training, classification, constant, cross_entropy, warmup_cosine
from torch import nn


def mislabelled_sample(run: Path, rng: np.random.Generator) -> None:
    """Train a six-layer classifier on a stream; one late batch has the labels of another."""
    classes, batch, steps, bad_step = 12, 32, 1700, 1560
    draw = tasks.cluster_stream(rng, classes, spread=1.3)
    model = tasks.mlp([24, 64, 64, 64, 64, 64, classes])
    optimizer = torch.optim.AdamW(model.parameters(), lr=1.5e-3, weight_decay=0.01)

    def stream(step: int) -> tasks.Batch:
        points, labels = draw(batch)
        if step == bad_step:
            labels = draw(batch)[1]
        return points, labels

    training = Training(
        model, optimizer, stream, cross_entropy, warmup_cosine(1.5e-3, 60, 1800), steps,
        evaluate=classification(*draw(1024)), eval_every=100,
    )  # fmt: skip
    names = {
        "loss": "train/loss",
        "grad_norm": "train/grad_norm",
        "update_norm": "train/update_norm",
        "lr": "train/lr",
        "val_loss": "val/loss",
        "val_accuracy": "val/accuracy",
    }
    writers.write_events_plain(run, writers.every(training.run(), 2), names)
    hparams = {
        "num_classes": classes,
        "batch_size": batch,
        "optimizer": "AdamW",
        "lr": 1.5e-3,
        "betas": [0.9, 0.999],
        "weight_decay": 0.01,
    }
    writers.write_hparams(run / "hparams.yaml", hparams)


def class_sorted(run: Path, rng: np.random.Generator) -> None:
    """Train a small picture classifier with `shuffle=False` on files that lie sorted by class."""
    size, batch, steps = 640, 16, 1600
    (pictures, labels), held_out = tasks.shapes(rng, size)
    by_class = torch.argsort(labels, stable=True)
    pictures, labels = pictures[by_class], labels[by_class]
    index = tasks.order(rng, size, batch, shuffle=False)
    model = tasks.picture_net()

    def batches(_: int) -> tasks.Batch:
        chosen = next(index)
        return pictures[chosen], labels[chosen]

    training = Training(
        model, torch.optim.Adam(model.parameters(), lr=1e-3), batches, cross_entropy,
        constant(1e-3), steps, classification(*held_out), eval_every=40, steps_per_epoch=40,
    )  # fmt: skip
    names = {k: k for k in ("step", "epoch", "loss", "grad_norm", "lr", "val_loss", "val_accuracy")}
    writers.write_jsonl(run / "metrics.jsonl", training.run(), names)
    writers.write_settings(
        run / "config.json",
        {"model": "cnn", "num_classes": 10, "optimizer": "Adam", "lr": 1e-3, "batch_size": batch},
    )


def broken_image_periodic(run: Path, rng: np.random.Generator) -> None:
    """Train on a fixed order in which twelve pictures of one shard were decoded to all zeros."""
    size, batch, steps = 960, 16, 1500
    (pictures, labels), held_out = tasks.shapes(rng, size, noise=0.25)
    pictures[610:622] = 0.0
    index = tasks.order(rng, size, batch, shuffle=False)
    model = tasks.picture_net()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.03, momentum=0.9, weight_decay=5e-4)

    def batches(_: int) -> tasks.Batch:
        chosen = next(index)
        return pictures[chosen], labels[chosen]

    training = Training(
        model, optimizer, batches, cross_entropy, warmup_cosine(0.03, 60, steps), steps,
        classification(*held_out), eval_every=150, steps_per_epoch=60,
    )  # fmt: skip
    names = {
        "step": "iteration",
        "epoch": "epoch",
        "loss": "train_loss",
        "grad_norm": "grad_norm",
        "lr": "lr",
        "val_loss": "val_loss",
        "val_accuracy": "val_acc",
    }
    writers.write_csv(run / "log.csv", training.run(), names)


def corrupt_batch_slow_recovery(run: Path, rng: np.random.Generator) -> None:
    """Train an autoencoder with Adam; one batch arrives thirty times too large."""
    size, batch, steps, bad_step = 1920, 32, 1800, 1203
    signals, held_out = tasks.curve_signals(rng, size)
    index = tasks.order(rng, size, batch)
    model = tasks.mlp([48, 96, 12, 96, 48], nn.Tanh)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3, betas=(0.9, 0.999))

    def batches(step: int) -> torch.Tensor:
        chosen = signals[next(index)]
        return chosen * 30.0 if step == bad_step else chosen

    def evaluate(net: nn.Module) -> Row:
        return {"val_loss": nn.functional.mse_loss(net(held_out), held_out).item()}

    training = Training(
        model, optimizer, batches, lambda net, x: nn.functional.mse_loss(net(x), x),
        warmup_cosine(1e-3, 50, 4000), steps, evaluate, eval_every=60, steps_per_epoch=60,
    )  # fmt: skip
    keys = ("step", "epoch", "loss", "grad_norm", "update_norm", "lr", "val_loss")
    writers.write_csv(run / "metrics.csv", training.run(), {k: k for k in keys})
    settings = {
        "optimizer": "Adam",
        "lr": 1e-3,
        "betas": [0.9, 0.999],
        "eps": 1e-8,
        "batch_size": batch,
        "max_grad_norm": None,
    }
    writers.write_settings(run / "config.json", settings)


CASES = {
    "mislabelled_sample": mislabelled_sample,
    "class_sorted": class_sorted,
    "broken_image_periodic": broken_image_periodic,
    "corrupt_batch_slow_recovery": corrupt_batch_slow_recovery,
}
