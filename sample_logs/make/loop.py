"""The training loop of all cases; a fault acts through settings or hooks, never on the log."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor, nn

Row = dict[str, float]


@dataclass
class Scaler:
    """Dynamic loss scaling: halve on overflow, double after a quiet time."""

    scale: float = 65536.0
    growth_interval: int = 2000
    quiet: int = 0

    def update(self, *, overflow: bool) -> None:
        """Move the scale after a step."""
        if overflow:
            self.scale, self.quiet = self.scale / 2, 0
            return
        self.quiet += 1
        if self.quiet >= self.growth_interval:
            self.scale, self.quiet = self.scale * 2, 0


@dataclass
class Training:
    """One training run: what to learn, how, and what to measure on the way."""

    model: nn.Module
    optimizer: torch.optim.Optimizer
    batch: Callable[[int], Any]  # step -> batch
    loss: Callable[[nn.Module, Any], Tensor]
    lr: Callable[[int], float]
    steps: int
    evaluate: Callable[[nn.Module], Row] | None = None
    eval_every: int = 0
    steps_per_epoch: int = 0
    clip: float | None = None
    scaler: Scaler | None = None
    after_eval: Callable[[int], None] = lambda _: None
    after_step: Callable[[int], None] = lambda _: None
    extra: Callable[[], Row] = dict  # more figures to log, read after the forward pass
    stop_after_nan: int | None = None  # steps to go on after the first non-finite loss
    rows: list[Row] = field(default_factory=list)
    first_nan: int | None = None

    def run(self, first: int = 1, last: int | None = None) -> list[Row]:
        """Train the closed step range and return the rows logged in it."""
        begin = len(self.rows)
        for step in range(first, (last or self.steps) + 1):
            self.rows.append(self.train_step(step))
            self.after_step(step)
            if self.evaluate and self.eval_every and step % self.eval_every == 0:
                self.rows.append({"step": step, **self.epoch_of(step), **self.measure()})
                self.after_eval(step)
            if self.is_over(step):
                break
        return self.rows[begin:]

    def train_step(self, step: int) -> Row:
        """Make one update and return what a careful user logs about it."""
        rate = self.lr(step)
        for group in self.optimizer.param_groups:
            group["lr"] = rate * group.get("factor", 1.0)
        self.optimizer.zero_grad()
        loss = self.loss(self.model, self.batch(step))
        scale = self.scaler.scale if self.scaler else 1.0
        (loss * scale).backward()
        norm = self.unscaled_norm(scale)
        row = {"step": step, **self.epoch_of(step), "loss": loss.item(), "grad_norm": norm}
        row |= {"update_norm": self.update(norm), "lr": rate} | self.extra()
        if self.scaler:
            row["loss_scale"] = scale
            self.scaler.update(overflow=not math.isfinite(norm))
        return row

    def unscaled_norm(self, scale: float) -> float:
        """Divide the gradients by the loss scale and return their global norm before clipping.

        Under a scaler each gradient first passes through float16, as it would on a GPU.
        """
        gradients = [p.grad for p in self.model.parameters() if p.grad is not None]
        for gradient in gradients if self.scaler else ():
            gradient.copy_(gradient.half().float() / scale)
        if not gradients:
            return 0.0
        return float(torch.linalg.vector_norm(torch.stack([g.norm() for g in gradients])))

    def update(self, norm: float) -> float:
        """Clip, step (a scaler skips it on overflow), return the norm of the parameter change."""
        if self.scaler and not math.isfinite(norm):
            return 0.0
        if self.clip:
            nn.utils.clip_grad_norm_(self.model.parameters(), self.clip)
        before = [p.detach().clone() for p in self.model.parameters()]
        self.optimizer.step()
        after = self.model.parameters()
        moves = [(new.detach() - old).norm() for new, old in zip(after, before, strict=True)]
        return float(torch.linalg.vector_norm(torch.stack(moves)))

    def measure(self) -> Row:
        """Return the validation figures, measured in evaluation mode."""
        assert self.evaluate is not None
        self.model.eval()
        with torch.no_grad():
            row = self.evaluate(self.model)
        self.model.train()
        return row

    def epoch_of(self, step: int) -> Row:
        """Return the fractional epoch, when the data have epochs."""
        return {"epoch": step / self.steps_per_epoch} if self.steps_per_epoch else {}

    def is_over(self, step: int) -> bool:
        """Return whether a non-finite loss ends the run: users stop such a run some time later."""
        loss = self.rows[-1].get("loss", 0.0)
        if self.first_nan is None and not math.isfinite(loss):
            self.first_nan = step
        if self.first_nan is None or self.stop_after_nan is None:
            return False
        return step >= self.first_nan + self.stop_after_nan


def constant(rate: float) -> Callable[[int], float]:
    """Return a schedule that never moves."""
    return lambda _: rate


def warmup_cosine(
    peak: float, warmup: int, total: int, floor: float = 0.0
) -> Callable[[int], float]:
    """Return a linear warm-up to `peak`, then a half cosine down to `floor` times the peak."""

    def rate(step: int) -> float:
        if step <= warmup:
            return peak * step / warmup
        progress = min(1.0, (step - warmup) / (total - warmup))
        return peak * (floor + (1 - floor) * 0.5 * (1 + math.cos(math.pi * progress)))

    return rate


def cross_entropy(model: nn.Module, batch: tuple[Tensor, Tensor]) -> Tensor:
    """Return the mean cross-entropy of the model's logits."""
    inputs, labels = batch
    return nn.functional.cross_entropy(model(inputs), labels)


def classification(inputs: Tensor, labels: Tensor) -> Callable[[nn.Module], Row]:
    """Return an evaluation of loss and accuracy on held-out data."""

    def evaluate(model: nn.Module) -> Row:
        logits = model(inputs)
        right = (logits.argmax(dim=1) == labels).float().mean().item()
        return {
            "val_loss": nn.functional.cross_entropy(logits, labels).item(),
            "val_accuracy": right,
        }

    return evaluate
