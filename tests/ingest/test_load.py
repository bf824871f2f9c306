"""From a path to runs: real folders, mixed folders, broken ones."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from spikedoc.errors import InputError, UsageError
from spikedoc.ingest import load_runs
from spikedoc.model.metric import Metric
from spikedoc.model.run import Restart, Run
from tests.notes import english

DATA = Path(__file__).parents[1] / "data" / "frameworks"
Events = Callable[..., Path]


def csv(path: Path, header: str, rows: int, first: int = 0) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    names = header.split(",")
    lines = [header]
    for step in range(first, first + rows):
        cells = [str(step)] + [f"{1 / (step + 1) + k:.6f}" for k in range(len(names) - 1)]
        lines.append(",".join(cells))
    path.write_text("\n".join(lines) + "\n")
    return path


def only(path: Path) -> Run:
    runs = load_runs(path)
    assert len(runs) == 1, [run.name for run in runs]
    return runs[0]


def steps(run: Run, metric: Metric) -> list[int]:
    found = run.get(metric)
    assert found is not None
    return found.steps.tolist()


# Real folders


def test_trainer_folder_is_one_run_with_everything() -> None:
    run = only(DATA / "hf-trainer")
    assert steps(run, Metric.LOSS) == list(range(5, 61, 5))
    assert steps(run, Metric.VAL_LOSS) == [20, 40, 60]
    assert [c.step for c in run.checkpoints] == [20, 40, 60]
    assert run.config["optimizer"] == "adamw"
    assert run.config["clip"] == 1.0
    assert run.config["framework"] == "hf"
    assert run.steps_per_epoch == 20
    assert run.restarts == ()


def test_two_loggers_of_one_lightning_run() -> None:
    run = only(DATA / "lightning")
    assert steps(run, Metric.LOSS) == list(range(4, 60, 5))
    assert steps(run, Metric.VAL_LOSS) == [19, 39, 59]
    assert run.get(Metric.GRAD_NORM) is not None
    assert run.config["optimizer"] == "adamw"
    assert run.config["weight_decay"] == 0.1
    assert [c.step for c in run.checkpoints] == [20, 40, None]
    assert {source.reader for source in run.sources} == {"csv", "tensorboard"}
    assert run.steps_per_epoch == 20


def test_keras_logs_of_two_runs() -> None:
    runs = load_runs(DATA / "keras")
    assert {run.name for run in runs} == {"keras/log.csv", "keras/log2.csv"}


def test_mmengine_folder() -> None:
    run = only(DATA / "mmengine")
    assert steps(run, Metric.LOSS) == list(range(5, 41, 5))
    assert steps(run, Metric.VAL_METRIC) == [20, 40]
    assert run.get(Metric.STEP_TIME) is not None


def test_reinforcement_learning_in_three_formats() -> None:
    run = only(DATA / "sb3-ppo")
    assert steps(run, Metric.REWARD) == [2048, 4096, 6144]
    assert len(run.all(Metric.LOSS)) == 1
    tags = [one.tag for one in run.series]
    assert len(tags) == len(set(tags))


def test_each_real_file_by_itself() -> None:
    for path in (DATA / "keras" / "log.csv", DATA / "logs" / "hf-stdout.log"):
        run = only(path)
        assert run.name == path.name
        assert run.path == str(path)


# One run from several files


def test_event_files_of_a_resumed_run(tmp_path: Path, events: Events) -> None:
    events(
        tmp_path / "events.out.tfevents.2.h", [("loss", s, 2.0) for s in range(661, 1001)], 1.8e9
    )
    events(tmp_path / "events.out.tfevents.1.h", [("loss", s, 1.0) for s in range(1, 681)])
    run = only(tmp_path)
    assert run.restarts == (Restart(661, 680, "new-file"),)
    loss = run.get(Metric.LOSS)
    assert loss is not None
    assert loss.steps.tolist() == list(range(1, 1001))
    assert np.flatnonzero(np.diff(loss.values)).tolist() == [659]


def test_keras_parts_and_curves_in_folders(tmp_path: Path, events: Events) -> None:
    for part, offset in (("train", 0.0), ("validation", 1.0)):
        points = [("epoch_loss", s, s + offset) for s in range(10)]
        events(tmp_path / "keras" / part / "events.out.tfevents.1.h", points)
    events(tmp_path / "torch" / "events.out.tfevents.1.h", [("lr", s, 0.1) for s in range(10)])
    for curve in ("train", "val"):
        points = [("Loss", s, float(s)) for s in range(10)]
        events(tmp_path / "torch" / f"Loss_{curve}" / "events.out.tfevents.1.h", points)
    runs = {run.name: run for run in load_runs(tmp_path)}
    assert set(runs) == {"keras", "torch"}
    for run in runs.values():
        assert steps(run, Metric.LOSS) == list(range(10))
        assert steps(run, Metric.VAL_LOSS) == list(range(10))
    loss = runs["torch"].get(Metric.LOSS)
    assert loss is not None
    assert loss.tag == "Loss/train"


def test_one_file_per_quantity(tmp_path: Path) -> None:
    csv(tmp_path / "Train_loss.csv", "step,train_loss", 20)
    csv(tmp_path / "Train_lr.csv", "step,lr", 20)
    run = only(tmp_path)
    assert run.get(Metric.LOSS) is not None
    assert run.get(Metric.LR) is not None


def test_a_file_that_goes_on_in_the_next(tmp_path: Path) -> None:
    csv(tmp_path / "metrics_1.csv", "step,loss", 100)
    csv(tmp_path / "metrics_2.csv", "step,loss", 100, first=90)
    run = only(tmp_path)
    assert run.restarts == (Restart(90, 99, "new-file"),)
    assert steps(run, Metric.LOSS) == list(range(190))


def test_the_same_data_twice_is_counted_once(tmp_path: Path) -> None:
    csv(tmp_path / "progress.csv", "step,loss,lr", 50)
    rows = [{"step": s, "loss": 1 / (s + 1), "lr": 1 / (s + 1) + 1} for s in range(40)]
    (tmp_path / "progress.json").write_text("\n".join(map(json.dumps, rows)))
    run = only(tmp_path)
    assert steps(run, Metric.LOSS) == list(range(50))
    assert [one.name for one in run.series] == ["loss", "lr"]
    assert any("taken from progress.csv" in note.en for note in run.notes)


def test_messages_of_a_printed_log_beside_metrics(tmp_path: Path) -> None:
    csv(tmp_path / "log.csv", "step,loss", 50)
    (tmp_path / "stderr.txt").write_text("Traceback (most recent call last):\nCUDA error: x\n")
    run = only(tmp_path)
    assert len(run.events) == 2
    assert run.get(Metric.LOSS) is not None


# Several runs


def test_folders_of_runs(tmp_path: Path, events: Events) -> None:
    for number in (1, 2, 3):
        points = [("train/loss", s, float(number)) for s in range(20)]
        events(tmp_path / f"PPO_{number}" / "events.out.tfevents.1.h", points)
    csv(tmp_path / "version_0" / "metrics.csv", "step,loss", 10)
    runs = load_runs(tmp_path)
    names = ["PPO_1", "PPO_2", "PPO_3", f"{tmp_path.name}/version_0"]
    assert [run.name for run in runs] == names
    assert runs[0].path == str(tmp_path / "PPO_1")


def test_attempts_in_one_file(tmp_path: Path) -> None:
    text = "step,loss\n" + "".join(f"{s},{1.5}\n" for s in [*range(50), *range(70)])
    (tmp_path / "log.csv").write_text(text)
    first, second = load_runs(tmp_path / "log.csv")
    assert (first.name, second.name) == ("log.csv#1", "log.csv#2")
    assert len(first.series[0]) == 50
    assert len(second.series[0]) == 70
    assert "attempt 2 of 2" in second.notes[0].en


def test_two_tables_of_the_same_quantities(tmp_path: Path) -> None:
    csv(tmp_path / "a.csv", "step,loss", 20)
    (tmp_path / "b.csv").write_text("step,loss\n" + "".join(f"{s},{9 - s}\n" for s in range(9)))
    assert {run.name for run in load_runs(tmp_path)} == {
        f"{tmp_path.name}/a.csv",
        f"{tmp_path.name}/b.csv",
    }


# What lies beside


def test_settings_and_checkpoints_beside_a_file(tmp_path: Path) -> None:
    csv(tmp_path / "log.csv", "step,loss", 20)
    (tmp_path / "config.json").write_text(json.dumps({"lr": 0.1, "clip": None}))
    (tmp_path / "step-10").mkdir()
    for path in (tmp_path, tmp_path / "log.csv"):
        run = only(path)
        assert run.config == {"lr": 0.1, "clip": 0.0}
        assert [(c.step, c.path) for c in run.checkpoints] == [(10, "step-10")]


def test_a_data_set_is_not_a_log(tmp_path: Path) -> None:
    csv(tmp_path / "log.csv", "step,loss", 20)
    (tmp_path / "data.jsonl").write_text('{"id": 1, "label": 0}\n{"id": 2, "label": 1}\n')
    run = only(tmp_path)
    assert any("data.jsonl: no known quantity" in note.en for note in run.notes)


def test_roles_by_hand(tmp_path: Path) -> None:
    csv(tmp_path / "log.csv", "step,mine,other", 20)
    (run,) = load_runs(tmp_path, mapping={"loss": "mine"})
    assert steps(run, Metric.LOSS) == list(range(20))
    with pytest.raises(UsageError, match="mine"):
        load_runs(tmp_path, mapping={"loss": "mien"})


def test_progress_reaches_the_end(tmp_path: Path, events: Events) -> None:
    csv(tmp_path / "log.csv", "step,loss", 20)
    events(tmp_path / "events.out.tfevents.1.h", [("lr", s, 0.1) for s in range(20)])
    calls: list[tuple[int, int]] = []
    load_runs(tmp_path, progress=lambda done, total: calls.append((done, total)))
    assert calls[-1][0] == calls[-1][1] > 0
    assert [done for done, _ in calls] == sorted(done for done, _ in calls)


# Bad input


@pytest.mark.parametrize(
    ("name", "content", "reason"),
    [
        ("log.csv", b"", "empty file"),
        ("log.csv", b"step,loss\n", "header|known|step and a value"),
        ("log.bin", bytes(range(256)) * 50, "not a training log"),
        ("log.txt", b"\x00" * 5000, "NUL"),
        ("log.txt", b"nothing to see\n", "step and a value"),
        ("x.tfevents.1", b"version https://git-lfs.github.com/spec/v1\n", "Git LFS pointer"),
        ("log.jsonl", b'{"text": "a"}\n{"text": "b"}\n', "no numbers"),
        ("err.txt", b"Traceback (most recent call last):\n", "no series"),
    ],
)
def test_bad_files_have_a_reason(tmp_path: Path, name: str, content: bytes, reason: str) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(InputError, match=reason) as error:
        load_runs(tmp_path / name)
    assert "\n" not in str(error.value)
    assert name in str(error.value)


def test_a_missing_path() -> None:
    with pytest.raises(InputError, match="no such file"):
        load_runs(Path("/nowhere/at/all"))


def test_an_empty_folder(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="empty folder"):
        load_runs(tmp_path)


def test_a_folder_without_logs_says_what_it_saw(tmp_path: Path) -> None:
    for name in ("a.py", "b.py", "model.pt"):
        (tmp_path / name).write_text("x = 1")
    with pytest.raises(InputError, match=r"2 \.py, 1 \.pt"):
        load_runs(tmp_path)


def test_failing_files_are_named(tmp_path: Path, events: Events) -> None:
    csv(tmp_path / "log.csv", "step,loss", 20)
    events(tmp_path / "events.out.tfevents.1.h", [])
    (tmp_path / "events.out.tfevents.2.h").write_bytes(b"version https://git-lfs.github.com/x\n")
    notes = " ".join(english(only(tmp_path).notes))
    assert "events.out.tfevents.1.h: event file without scalars" in notes
    assert "events.out.tfevents.2.h: a Git LFS pointer" in notes


def test_all_pointers(tmp_path: Path) -> None:
    for number in range(7):
        pointer = tmp_path / f"events.out.tfevents.{number}.h"
        pointer.write_bytes(b"version https://git-lfs.github.com/spec/v1\n")
    with pytest.raises(InputError, match="none of 7 logs"):
        load_runs(tmp_path)


def test_pipes_and_loops_are_not_opened(tmp_path: Path) -> None:
    csv(tmp_path / "log.csv", "step,loss", 20)
    os.mkfifo(tmp_path / "pipe.log")
    (tmp_path / "loop").symlink_to(tmp_path, target_is_directory=True)
    (tmp_path / "dangling.csv").symlink_to(tmp_path / "nothing.csv")
    assert len(only(tmp_path).sources) == 1
    with pytest.raises(InputError, match="neither a file nor a folder"):
        load_runs(tmp_path / "pipe.log")


def test_too_many_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("spikedoc.ingest.discovery.MOST_FILES", 3)
    for name in "abcd":
        csv(tmp_path / name / "log.csv", "step,loss", 20)
    runs = load_runs(tmp_path)
    assert len(runs) == 3
    assert any("more than 3 files" in note.en for note in runs[0].notes)


def test_a_file_too_large(tmp_path: Path) -> None:
    csv(tmp_path / "log.csv", "step,loss", 20)
    with (tmp_path / "huge.csv").open("wb") as file:
        file.write(b"step,loss\n")
        file.truncate(5_000_000_000)  # sparse: takes no space
    assert any("huge.csv: 5.0 GB is more" in note.en for note in only(tmp_path).notes)


def test_one_row_is_a_run(tmp_path: Path) -> None:
    (tmp_path / "log.csv").write_text("loss,acc\n1.0,0.5\n")
    assert steps(only(tmp_path), Metric.LOSS) == [0]


def test_a_log_by_itself_takes_no_states_from_elsewhere(tmp_path: Path) -> None:
    log = csv(tmp_path / "log.csv", "step,loss", 20)
    for path in ("checkpoint-10/model.safetensors", "other/checkpoint-15/model.safetensors"):
        (tmp_path / path).parent.mkdir(parents=True)
        (tmp_path / path).write_bytes(b"")
    assert [one.step for one in only(log).checkpoints] == [10]
    assert [one.step for one in only(tmp_path).checkpoints] == [10, 15]


def test_weights_are_never_opened(tmp_path: Path) -> None:
    csv(tmp_path / "log.csv", "step,loss", 20)
    secret = tmp_path / "training_args.bin"
    secret.write_bytes(b"\x80\x04cos\nsystem\n(S'touch made'\ntR.")
    secret.chmod(0)
    assert len(only(tmp_path).sources) == 1
