"""Printed lines of single batches of held-out data become one record for each evaluation."""

from __future__ import annotations

from pathlib import Path

import pytest

from spikedoc.ingest import load_runs
from spikedoc.model.metric import Metric
from spikedoc.readers._text_passes import AVERAGED

EPOCHS, BATCHES, HELD_OUT = 4, 10, 5
MEANS = [1 / (epoch + 1) + 0.02 for epoch in range(EPOCHS)]


def written(path: Path, train: str, val: str) -> Path:
    lines = []
    for e in range(EPOCHS):
        for b in range(BATCHES):
            s = e * BATCHES + b
            lines.append(train.format(e=e, b=b, s=s, n=64 * b, v=2 / (s + 1) + 0.3))
        for b in range(HELD_OUT):
            s = e * BATCHES + BATCHES - 1
            lines.append(val.format(e=e, b=b, s=s, n=64 * b, v=1 / (e + 1) + b / 100))
    path.write_text("\n".join(lines) + "\n")
    return path


@pytest.mark.parametrize(
    ("train", "val", "steps"),
    [
        (
            "Epoch [{e}/4], Step [{b}/10], Loss: {v:.6f}",
            "Validation: Epoch [{e}/4], Step [{b}/5], Loss: {v:.6f}",
            [10, 20, 30, 40],
        ),
        (
            "Train Epoch: {e} [{n}/640 (10%)]\tLoss: {v:.6f}",
            "Val Epoch: {e} [{n}/320 (20%)]\tLoss: {v:.6f}",
            [640, 1280, 1920, 2560],
        ),
        ("step {s} loss={v:.6f}", "val step {s} batch {b} val_loss={v:.6f}", [9, 19, 29, 39]),
        ("Train step: {s} loss: {v:.6f}", "Val batch: {b} loss: {v:.6f}", [9, 19, 29, 39]),
    ],
)
def test_batches_of_one_evaluation_are_averaged_where_the_training_stands(
    tmp_path: Path, train: str, val: str, steps: list[int]
) -> None:
    (run,) = load_runs(written(tmp_path / "train.log", train, val))
    loss, val_loss = run.get(Metric.LOSS), run.get(Metric.VAL_LOSS)
    assert loss is not None
    assert val_loss is not None
    assert len(loss) == EPOCHS * BATCHES
    assert loss.values.tolist() == pytest.approx([2 / (s + 1) + 0.3 for s in range(40)], abs=1e-6)
    assert val_loss.steps.tolist() == steps
    assert val_loss.values.tolist() == pytest.approx(MEANS, abs=1e-6)
    assert run.restarts == ()
    assert AVERAGED in [note for source in run.sources for note in source.notes]


def test_evaluations_one_after_the_other_stay_apart(tmp_path: Path) -> None:
    path = tmp_path / "train.log"
    trained = "".join(f"step {s} loss={2 / (s + 1):.6f}\n" for s in range(20))
    path.write_text(
        trained + "".join(f"step {s} val_loss={1 / s:.6f}\n" for s in range(20, 60, 10))
    )
    (run,) = load_runs(path)
    val_loss = run.get(Metric.VAL_LOSS)
    assert val_loss is not None
    assert val_loss.steps.tolist() == [20, 30, 40, 50]
    assert val_loss.values.tolist() == pytest.approx([1 / s for s in range(20, 60, 10)], abs=1e-6)
