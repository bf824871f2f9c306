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


STEPS = list(range(50, 600, 50))
TRAINING = "".join(f"step {s} loss: {2 / (s + 1) + 0.25:.4f}\n" for s in range(0, 600, 10))


def of_checkpoints(lines: str, steps: list[int]) -> str:
    return "".join(lines.format(s=s, v=1 + s / 1000) for s in steps)


@pytest.mark.parametrize(
    "lines",
    [
        "Evaluating checkpoint-{s}\nstep {s} eval_loss: {v:.4f}\n",
        "Evaluating checkpoint-{s}\neval_loss: {v:.4f}\n",
        "Loading out/step_{s}.pt\nVal loss {v:.4f}\n",
        "checkpoint-{s}: val loss {v:.4f} val acc 0.5\n",
        "Evaluating model_{s}.pt\nval_loss: {v:.4f}\n",
        "loaded weights from runs/ckpt-{s}.safetensors\nEval loss: {v:.4f}\n",
    ],
)
@pytest.mark.parametrize("steps", [STEPS, STEPS[::-1]])
def test_checkpoints_evaluated_after_the_training_stand_at_their_steps(
    tmp_path: Path, lines: str, steps: list[int]
) -> None:
    (tmp_path / "train.log").write_text(TRAINING + of_checkpoints(lines, steps))
    (run,) = load_runs(tmp_path / "train.log")
    loss, val_loss = run.get(Metric.LOSS), run.get(Metric.VAL_LOSS)
    assert loss is not None
    assert val_loss is not None
    assert loss.steps.tolist() == list(range(0, 600, 10))
    assert val_loss.steps.tolist() == STEPS
    assert val_loss.values.tolist() == pytest.approx([1 + s / 1000 for s in STEPS])


@pytest.mark.parametrize(
    "lines",
    [
        "Saved checkpoint-{s}\nval_loss: {v:.4f}\n",  # nothing was opened
        "Loading model_v{s}.pt\nval_loss: {v:.4f}\n",
        "Loading checkpoint-{s}00\nval_loss: {v:.4f}\n",  # the training has not got there
    ],
)
def test_numbers_that_are_no_steps_of_a_checkpoint(tmp_path: Path, lines: str) -> None:
    (tmp_path / "train.log").write_text(TRAINING + of_checkpoints(lines, STEPS))
    (run,) = load_runs(tmp_path / "train.log")
    val_loss = run.get(Metric.VAL_LOSS)
    assert val_loss is not None
    assert val_loss.steps.tolist() == [590]


def test_the_number_of_a_file_may_be_that_of_an_epoch(tmp_path: Path) -> None:
    training = "".join(
        f"epoch {s // 100} step {s} loss: {2 / (s + 1):.4f}\n" for s in range(0, 600, 10)
    )
    (tmp_path / "train.log").write_text(training + "Loading model_5.pt\nval_loss: 0.5\n")
    (run,) = load_runs(tmp_path / "train.log")
    val_loss = run.get(Metric.VAL_LOSS)
    assert val_loss is not None
    assert val_loss.steps.tolist() == [590]


def test_a_checkpoint_that_was_loaded_before_the_training_goes_on(tmp_path: Path) -> None:
    text = TRAINING + "Loading checkpoint-300\n" + TRAINING + "val_loss: 0.5\n"
    (tmp_path / "train.log").write_text(text)
    val_loss = load_runs(tmp_path / "train.log")[-1].get(Metric.VAL_LOSS)
    assert val_loss is not None
    assert val_loss.steps.tolist() == [590]


@pytest.mark.parametrize(
    "line", ["evaluating ckpt_{}.pt: val_loss {:.4f}", "out/model_{}.pt: val_loss: {:.4f}"]
)
def test_each_checkpoint_that_a_line_names_keeps_its_value(tmp_path: Path, line: str) -> None:
    path = tmp_path / "train.log"
    train = "".join(f"step {i} loss {2 / (1 + i / 50):.4f}\n" for i in range(300))
    rows = [(10 * i, 2 / (1 + i / 5)) for i in range(30)]
    path.write_text(train + "".join(f"{line.format(*row)}\n" for row in rows))
    (run,) = load_runs(path)
    val_loss = run.get(Metric.VAL_LOSS)
    assert val_loss is not None
    assert val_loss.steps.tolist() == [step for step, _ in rows]
    assert val_loss.values.tolist() == pytest.approx([x for _, x in rows], abs=1e-4)
    loss = run.get(Metric.LOSS)
    assert loss is not None
    assert loss.steps.tolist() == list(range(300))


BY_EPOCH = {
    "epochs": "".join(f"Epoch {e}/30 loss: {2 / e:.4f}\n" for e in range(1, 31)),
    "batches": "".join(
        f"Epoch [{e}/30], Step [{b}/100], loss: {2 / e:.4f}\n"
        for e in range(1, 31)
        for b in range(10, 101, 10)
    ),
    "steps": "".join(
        f"epoch {e} step {100 * e - 100 + b} loss: {2 / e:.4f}\n"
        for e in range(1, 31)
        for b in range(10, 101, 10)
    ),
}


@pytest.mark.parametrize(("kind", "length"), [("epochs", 1), ("batches", 100), ("steps", 100)])
@pytest.mark.parametrize(
    "lines",
    [
        "evaluating ckpt_{s}.pt: val_loss {v:.4f}\n",
        "model_{s}.pth: val_loss: {v:.4f}\n",
        "Loading epoch_{s}.pth\nval_loss: {v:.4f}\n",
        "Evaluating out/model_{s}.pt\nval_loss: {v:.4f} val_acc: 0.5\n",
    ],
)
def test_checkpoints_of_a_training_that_counts_epochs(
    tmp_path: Path, kind: str, length: int, lines: str
) -> None:
    epochs = list(range(2, 30, 2))
    (tmp_path / "train.log").write_text(BY_EPOCH[kind] + of_checkpoints(lines, epochs))
    (run,) = load_runs(tmp_path / "train.log")
    loss, val_loss = run.get(Metric.LOSS), run.get(Metric.VAL_LOSS)
    assert loss is not None
    assert val_loss is not None
    assert int(loss.steps[-1]) == 30 * length
    assert val_loss.steps.tolist() == [length * epoch for epoch in epochs]
    assert val_loss.values.tolist() == pytest.approx([1 + e / 1000 for e in epochs])
