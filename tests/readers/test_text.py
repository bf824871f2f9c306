"""Printed logs: each shape of line, and noise around it."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tables import points, series

from spikedoc.errors import InputError
from spikedoc.readers.base import Table
from spikedoc.readers.text import READER

DATA = Path(__file__).parents[1] / "data" / "frameworks"


def write(tmp_path: Path, text: str | bytes) -> Path:
    path = tmp_path / "train.log"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def read(tmp_path: Path, text: str | bytes) -> Table:
    path = write(tmp_path, text)
    assert READER.accepts(path, path.read_bytes()[:65536])
    return READER.read(path)


def hf_lines(per_epoch: int, every: int, last: int, digits: int = 4) -> list[str]:
    return [
        str({"loss": round(1 / step, 4), "epoch": round(step / per_epoch, digits)})
        for step in range(every, last + 1, every)
    ]


def test_nanogpt(tmp_path: Path) -> None:
    text = (
        "number of parameters: 0.02M\n"
        "step 0: train loss 4.2, val loss 4.3\n"
        "iter 0: loss 4.25, time 900.00ms, mfu -100.00%\n"
        "iter 10: loss 3.5, time 80.5ms, mfu 3.20%, lr 0.1, grad_norm 0.3\n"
        "step 20: train loss nan, val loss 3.1\n"
        "iter 20: loss nan, time 80.5ms, mfu 3.20%\n"
    )
    table = read(tmp_path, text)
    assert points(table, "loss")[:2] == [(0, 4.25), (10, 3.5)]
    assert math.isnan(series(table)["loss"].values[2])
    assert points(table, "val_loss") == [(0, 4.3), (20, 3.1)]
    assert points(table, "grad_norm") == [(10, 0.3)]
    assert points(table, "lr") == [(10, 0.1)]
    assert "train loss" not in series(table)
    assert any("evaluation mode" in note.en for note in table.notes)


def test_bars_of_preparing_data_place_no_record(tmp_path: Path) -> None:
    bar = "Map (num_proc=4): 100%|######| 4000/4000 [00:00<00:00, 12188.61 examples/s]\n"
    table = read(tmp_path, 2 * bar + "\n".join(hf_lines(37, 5, 100)) + "\n")
    assert [step for step, _ in points(table, "loss")] == list(range(5, 101, 5))
    assert "num_proc" not in series(table)


def test_trainer_lines_with_a_known_epoch_length(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text(json.dumps({"steps_per_epoch": 44}))
    table = read(tmp_path, "\n".join(hf_lines(44, 2, 1200)))
    assert series(table)["loss"].steps.tolist() == list(range(2, 1201, 2))
    assert any("44 steps per epoch" in note.en and "config.json" in note.en for note in table.notes)


@pytest.mark.parametrize(("per_epoch", "every"), [(66, 2), (29, 2), (80, 2), (200, 5), (1200, 3)])
def test_trainer_lines_with_a_progress_bar(tmp_path: Path, per_epoch: int, every: int) -> None:
    total = 3 * per_epoch
    lines = []
    for step, line in zip(
        range(every, total + 1, every), hf_lines(per_epoch, every, total), strict=True
    ):
        lines.append(line)
        if step % (10 * every) == 0:
            lines.append(f" 12%|###  | {step}/{total} [00:22<01:00,  9.0it/s]")
    table = read(tmp_path, "\n".join(lines))
    assert series(table)["loss"].steps.tolist() == list(range(every, total + 1, every))
    assert any("progress bar" in note.en for note in table.notes)


def test_trainer_lines_with_nothing_but_epochs(tmp_path: Path) -> None:
    table = read(tmp_path, "\n".join(hf_lines(44, 1, 200)))
    assert series(table)["loss"].steps.tolist() == list(range(1, 201))
    assert any("smallest number" in note.en for note in table.notes)


def test_trainer_lines_with_announced_totals(tmp_path: Path) -> None:
    head = "***** Running training *****\n  Num Epochs = 4\n  Total optimization steps = 1,600\n"
    table = read(tmp_path, head + "\n".join(hf_lines(400, 100, 1600, digits=2)))
    assert series(table)["loss"].steps.tolist() == list(range(100, 1601, 100))
    assert table.config["total_steps"] == 1600
    assert table.config["epochs"] == 4


def test_epochs_too_coarse_for_steps(tmp_path: Path) -> None:
    table = read(tmp_path, "\n".join(hf_lines(5000, 10, 1000, digits=2)))
    assert series(table)["loss"].steps.tolist() == list(range(100))
    assert any("row numbers" in note.en for note in table.notes)


def test_values_as_text_and_the_closing_row(tmp_path: Path) -> None:
    text = (
        "{'loss': '8.669', 'grad_norm': 'nan', 'learning_rate': '4.667e-05', 'step': '5'}\n"
        "{'eval_loss': 3.5, 'eval_runtime': 1.0, 'step': 5}\n"
        "{'loss': nan, 'grad_norm': inf, 'step': 10}\n"
        "{'train_runtime': 60.0, 'train_loss': 9.9, 'epoch': 3.0}\n"
    )
    table = read(tmp_path, text)
    assert points(table, "loss")[0] == (5, 8.669)
    assert math.isnan(series(table)["loss"].values[1])
    np.testing.assert_array_equal(series(table)["grad_norm"].values, [math.nan, math.inf])
    assert "train_loss" not in series(table)


def test_code_in_a_dict_is_not_run(tmp_path: Path) -> None:
    text = "{'loss': 1.0, 'step': 1, 'x': __import__('os').mkdir('made')}\n" * 2
    read(tmp_path, text)
    assert not Path("made").exists()
    assert not (tmp_path / "made").exists()


def test_a_real_trainer_log() -> None:
    table = READER.read(DATA / "logs" / "hf-stdout.log")
    assert series(table)["loss"].steps.tolist() == list(range(5, 61, 5))
    assert [step for step, _ in points(table, "eval_loss")] == [20, 40, 60]


@pytest.mark.parametrize(
    ("line", "tag", "value"),
    [
        ("step: {s}  loss: 0.5  lr: 1e-3", "loss", 0.5),
        ("step={s} loss=0.5 grad_norm=inf", "grad_norm", math.inf),
        ("[train] Iteration {s}/5000, loss = 0.5, acc = 0.25", "acc", 0.25),
        ("\x1b[32mstep {s} | loss: 0.5 | tokens/s: 12345\x1b[0m", "tokens/s", 12345.0),
        (" iteration {s}/ 1000 | lm loss: 5.0E-01 | loss scale: 4096.0 |", "loss scale", 4096.0),
        ("2024-01-01 10:00:00 INFO global_step: {s}, train/loss: -1.5", "train/loss", -1.5),
    ],
)
def test_lines_of_pairs(tmp_path: Path, line: str, tag: str, value: float) -> None:
    text = "\n".join(line.replace("{s}", str(s)) for s in (10, 20, 30))
    assert points(read(tmp_path, text), tag) == [(10, value), (20, value), (30, value)]


@pytest.mark.parametrize(
    "line",
    [
        "epoch 3 done in 12 s",
        "saving to step-100",
        "Loaded 3 files: 12 rows",
        "loss is computed by cross entropy: 1",
        "next step: think about accuracy",
    ],
)
def test_prose_is_no_record(tmp_path: Path, line: str) -> None:
    with pytest.raises(InputError):
        READER.read(write(tmp_path, f"{line}\n" * 5))


def test_carriage_returns_nul_bytes_and_colours(tmp_path: Path) -> None:
    bar = b"\r 10%|#   | 5/60 [00:00<00:02, 19.28it/s]"
    text = bar * 50 + b"\r\x1b[1mstep: 1 loss: 3\x1b[0m\n\x00\x00\x00step: 2 loss: 2\r\n" + bar * 9
    assert points(read(tmp_path, text), "loss") == [(1, 3.0), (2, 2.0)]


def test_messages_are_kept_with_the_step_they_followed(tmp_path: Path) -> None:
    text = (
        "step: 1 loss: 3\nstep: 2 loss: 2\n"
        "Function 'MulBackward0' returned nan values in its 0th output.\n"
        "Traceback (most recent call last):\nslurmstepd: error: SIGTERM\nall is well\n"
    )
    events = read(tmp_path, text).events
    assert [step for step, _ in events] == [2, 2, 2]
    assert "MulBackward0" in events[0][1]


def test_messages_are_bounded(tmp_path: Path) -> None:
    text = "step: 1 loss: 3\nstep: 2 loss: 3\n" + ("CUDA error: " + "x" * 5000 + "\n") * 500
    events = read(tmp_path, text).events
    assert len(events) == 200
    assert max(len(line) for _, line in events) <= 300


def test_messages_alone(tmp_path: Path) -> None:
    table = READER.read(write(tmp_path, "Traceback (most recent call last):\nboom\n"))
    assert table.series == ()
    assert len(table.events) == 1


@pytest.mark.parametrize(
    "line",
    [
        "step: 1 loss: " + "a " * 200_000,
        "step: 1 loss " + "x: " * 100_000,
        "{'loss': 1.0, " + "'a': 1, " * 50_000,
        "{" * 100_000,
        "step: 1 loss: " + "1" * 100_000,
    ],
)
def test_long_lines_do_not_hang(ends: None, tmp_path: Path, line: str) -> None:
    path = write(tmp_path, line + "\nstep: 7 loss: 3\n")
    table = READER.read(path)
    assert (7, 3.0) in points(table, "loss")


@given(st.binary(max_size=2000))
@settings(deadline=None)
def test_any_bytes_are_answered(tmp_path_factory: pytest.TempPathFactory, data: bytes) -> None:
    path = tmp_path_factory.mktemp("junk") / "train.log"
    path.write_bytes(b"step: 1 loss: 2\n" + data)
    READER.read(path)


def test_binary_and_json_are_not_text() -> None:
    assert not READER.accepts(Path("x.log"), bytes(range(256)))
    assert not READER.accepts(Path("x.log"), b'{"loss": 1}\n')
    assert not READER.accepts(Path("x.log"), b"\x00" * 100)
    assert READER.accepts(Path("x.log"), b"{'loss': 1}\n")
    assert READER.accepts(Path("x.log"), b"[2024-01-01] step: 1 loss: 2\n")


def test_one_damaged_line_gives_a_whole_log_no_step(tmp_path: Path) -> None:
    lines = [f"{{'loss': {2 - i / 200}, 'grad_norm': 0.9, 'epoch': {i / 100}}}" for i in range(200)]
    lines.insert(100, "766, 'grad_norm': 0.9, 'epoch': 0.5}")
    path = tmp_path / "train.log"
    path.write_text("\n".join(lines) + "\n")
    loss = next(one for one in READER.read(path).series if one.tag == "loss")
    assert loss.values.tolist() == [2 - i / 200 for i in range(200)]
    assert np.unique(loss.steps).size == 200
