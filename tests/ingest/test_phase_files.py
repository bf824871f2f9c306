"""Files of training and of held-out data beside each other are one run."""

from __future__ import annotations

from pathlib import Path

import pytest

from spikedoc.ingest import load_runs
from spikedoc.model.metric import Metric
from tests.notes import english


def table(level: float, name: str = "loss") -> str:
    return f"step,{name}\n" + "".join(f"{s},{level + 1 / (s + 1):.6f}\n" for s in range(20))


def jsonl(level: float) -> str:
    return "".join(f'{{"step": {s}, "loss": {level + 1 / (s + 1):.6f}}}\n' for s in range(20))


@pytest.mark.parametrize(
    ("train", "held_out"),
    [
        ("train.csv", "valid.csv"),
        ("train_log.csv", "val_log.csv"),
        ("log-Training.csv", "log-Test.csv"),
        ("metrics_train.jsonl", "metrics_eval.jsonl"),
    ],
)
def test_a_file_of_held_out_data_is_no_run_of_its_own(
    tmp_path: Path, train: str, held_out: str
) -> None:
    write = jsonl if train.endswith("jsonl") else table
    (tmp_path / train).write_text(write(0.0))
    (tmp_path / held_out).write_text(write(1.0))
    (run,) = load_runs(tmp_path)
    loss, val_loss = run.get(Metric.LOSS), run.get(Metric.VAL_LOSS)
    assert loss is not None
    assert val_loss is not None
    assert (loss.values[0], val_loss.values[0]) == (1.0, 2.0)
    assert val_loss.steps.tolist() == list(range(20))
    told = english([note for source in run.sources for note in source.notes])
    assert any(f"{held_out} beside {train}" in note for note in told)


@pytest.mark.parametrize(
    "files",
    [
        {"a.csv": table(0.0), "val.csv": table(1.0)},  # of what?
        {"train_a.csv": table(0.0), "val_b.csv": table(1.0)},
        {"train.csv": table(0.0), "val.jsonl": jsonl(1.0)},
        {"retrain.csv": table(0.0), "reval.csv": table(1.0)},
    ],
)
def test_other_names_tell_nothing(tmp_path: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    assert not any(run.get(Metric.VAL_LOSS) for run in load_runs(tmp_path))


def test_names_that_say_so_themselves_stay(tmp_path: Path) -> None:
    (tmp_path / "train.csv").write_text(table(0.0))
    (tmp_path / "val.csv").write_text(table(1.0, "val_loss"))
    (run,) = load_runs(tmp_path)
    val_loss = run.get(Metric.VAL_LOSS)
    assert val_loss is not None
    assert val_loss.tag == "val_loss"


@pytest.mark.parametrize(
    ("names", "validation", "test"),
    [
        (("train.csv", "val.csv", "test.csv"), "val/loss", "test/loss"),
        (("train.csv", "valid.csv", "test.csv"), "valid/loss", "test/loss"),
        (("train.csv", "dev.csv", "test.csv"), "dev/loss", "test/loss"),
        (("train_log.csv", "validation_log.csv", "test_log.csv"), "validation/loss", "test/loss"),
        (
            ("metrics_train.jsonl", "metrics_eval.jsonl", "metrics_test.jsonl"),
            "eval/loss",
            "test/loss",
        ),
    ],
)
def test_the_test_set_takes_no_place_of_the_validation_set(
    tmp_path: Path, names: tuple[str, ...], validation: str, test: str
) -> None:
    for level, name in enumerate(names):
        write = jsonl if name.endswith("jsonl") else table
        (tmp_path / name).write_text(write(float(level)))
    (run,) = load_runs(tmp_path)
    loss, val_loss = run.get(Metric.LOSS), run.get(Metric.VAL_LOSS)
    assert loss is not None
    assert val_loss is not None
    assert (val_loss.tag, val_loss.values[0], loss.values[0]) == (validation, 2.0, 1.0)
    assert {one.tag: one.values[0] for one in run.series}[test] == 3.0


def test_one_validation_loss_in_two_formats_is_one(tmp_path: Path) -> None:
    rows = [(s, 1 / (s + 1), 2 / (s + 1)) for s in range(20)]
    lines = "".join(f"{s},{a:.6f},{b:.6f}\n" for s, a, b in rows)
    (tmp_path / "log.csv").write_text("step,loss,val_loss\n" + lines)
    objects = [f'{{"step": {s}, "loss": {a:.6f}, "eval/loss": {b:.6f}}}\n' for s, a, b in rows]
    (tmp_path / "log.jsonl").write_text("".join(objects))
    (run,) = load_runs(tmp_path)
    assert sorted(one.metric for one in run.series) == [Metric.LOSS, Metric.VAL_LOSS]
