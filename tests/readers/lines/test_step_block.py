"""Records over several lines below one that names their step."""

from __future__ import annotations

from pathlib import Path

import pytest
from tables import points

from spikedoc.readers.base import Table
from spikedoc.readers.text import READER


def read(tmp_path: Path, text: str) -> Table:
    path = tmp_path / "train.log"
    path.write_text(text, encoding="utf-8")
    return READER.read(path)


@pytest.mark.parametrize(
    "heading",
    ["step: {i}", "Step {i}", "--- step {i}/9000 ---", "[iteration {i}]", "global_step = {i}"],
)
@pytest.mark.parametrize("count", [4, 300])
def test_what_stands_below_a_step_is_of_it(tmp_path: Path, heading: str, count: int) -> None:
    below = "loss: {x}\n  val_loss = 0.75\nkl: {k}\nlr: 0.001\ntime: 0.5 s\n\n"
    rows = [(30 * i, 2 - i / 1000, i / 100) for i in range(count)]
    text = "".join(f"{heading.format(i=i)}\n{below.format(x=x, k=k)}" for i, x, k in rows)
    table = read(tmp_path, f"some words 3 times\n{text}")
    assert points(table, "loss") == [(i, x) for i, x, _ in rows]
    assert points(table, "kl") == [(i, k) for i, _, k in rows]
    assert points(table, "val_loss") == [(i, 0.75) for i, _, _ in rows]
    assert points(table, "lr") == [(i, 0.001) for i, _, _ in rows]
    assert points(table, "time") == [(i, 0.5) for i, _, _ in rows]


def test_a_line_of_another_kind_ends_what_a_step_heads(tmp_path: Path) -> None:
    settings = "scheduler:\n  step: 30\n  gamma: 0.1\nloading 3 files\n"
    lines = "".join(f"Epoch {e}\nTrain loss: {1 / (e + 1)}\n" for e in range(5))
    table = read(tmp_path, settings + lines)
    assert points(table, "Train loss") == [(e, 1 / (e + 1)) for e in range(5)]


def test_sections_below_a_step(tmp_path: Path) -> None:
    block = (
        f"{'=' * 25} Step {{i}}/100 {'=' * 25}\n▶ Preparing batch...\n📊 Training Results:\n"
        "  • Loss: {x}\n  • Avg Reward: {r}\n\n⏱️  Timing:\n  • Total step time: 30.5s\n"
    )
    rows = [(i, 0.5 / i, i / 8) for i in range(1, 30)]
    table = read(tmp_path, "".join(block.format(i=i, x=x, r=r) for i, x, r in rows))
    assert points(table, "Loss") == [(i, x) for i, x, _ in rows]
    assert points(table, "Avg Reward") == [(i, r) for i, _, r in rows]
    assert points(table, "Total step time") == [(i, 30.5) for i, _, _ in rows]
    assert not table.notes  # a row of equals signs is no name without its number


def test_steps_whose_names_are_unknown_begin_with_the_first(tmp_path: Path) -> None:
    rows = [(10 * i, 1 - i / 400, i / 4000) for i in range(30)]
    table = read(tmp_path, "".join(f"step: {i}\nentropy: {x}\nkl: {k}\n" for i, x, k in rows))
    assert points(table, "entropy") == [(i, x) for i, x, _ in rows]
    assert points(table, "kl") == [(i, k) for i, _, k in rows]


def test_settings_above_the_first_step_are_no_record(tmp_path: Path) -> None:
    rows = [(100 * i, 1 / i) for i in range(1, 30)]
    text = "".join(f"step: {i}\nloss: {x}\n" for i, x in rows)
    table = read(tmp_path, f"scheduler:\n  step: 30\n  gamma: 0.1\n{text}")
    assert points(table, "loss") == rows
    assert [one.tag for one in table.series] == ["loss"]


@pytest.mark.parametrize("left", ["ETA: 3 h 20 min", "took 0:12:30", "elapsed 12.5s, left 3min"])
def test_a_duration_ends_no_block(tmp_path: Path, left: str) -> None:
    rows = [(100 * i, 1 / (i + 1), i / 40) for i in range(30)]
    text = "".join(f"step: {i}\nloss: {x}\n{left}\nacc: {a}\n" for i, x, a in rows)
    table = read(tmp_path, text)
    assert points(table, "loss") == [(i, x) for i, x, _ in rows]
    assert points(table, "acc") == [(i, a) for i, _, a in rows]


def test_several_names_in_a_line_below_a_step(tmp_path: Path) -> None:
    rows = [(100 * i, 1 / (i + 1), i / 40) for i in range(30)]
    table = read(tmp_path, "".join(f"Step {i}\nloss {x}, acc: {a}\n" for i, x, a in rows))
    assert points(table, "loss") == [(i, x) for i, x, _ in rows]
    assert points(table, "acc") == [(i, a) for i, _, a in rows]


def test_a_line_that_ends_a_block_belongs_behind_it(tmp_path: Path) -> None:
    rows = [(100 * i, 1 / (i + 1)) for i in range(30)]
    below = "saved 3 files, accuracy 0.5 of 7 tasks"
    text = "".join(f"Step {i}\nloss: {x}\n{below}\nval_acc: {x / 2}\n" for i, x in rows)
    assert points(read(tmp_path, text), "val_acc") == [(i, x / 2) for i, x in rows]


PREFIXES = [
    "INFO: ",
    "2024-05-01 10:00:00,123 - root - INFO - ",
    "[2024-05-01 10:00:00] ",
    "10:00:00 | ",
    "I0501 10:00:00.123456 1234 train.py:30] ",
    "[train] ",
    "0: ",
]


@pytest.mark.parametrize("prefix", PREFIXES)
@pytest.mark.parametrize(
    "block",
    [
        "step: {i}\nTraining\nloss: {x}\nValidation\nloss: {v}\n",
        "step: {i}\nloss: {x}\nval_loss: {v}\n",
        "loss: {x}\nval_loss: {v}\nstep: {i}\n",
    ],
)
def test_blocks_behind_the_prefix_of_a_logger(tmp_path: Path, prefix: str, block: str) -> None:
    rows = [(100 * i, 2 - i / 100, 3 - i / 100) for i in range(40)]
    text = "".join(block.format(i=i, x=x, v=v) for i, x, v in rows)
    lines = "".join(prefix + line for line in text.splitlines(keepends=True))
    table = read(tmp_path, lines)
    assert points(table, "loss") == [(i, x) for i, x, _ in rows]
    assert points(table, "val_loss") == [(i, v) for i, _, v in rows]


@pytest.mark.parametrize(
    "heading",
    ["Evaluating", "--- Evaluating ---", "Valset", "Holdout stats", "Held-out metrics", "Hold-out"],
)
@pytest.mark.parametrize("counter", ["Step", "Epoch"])
def test_headings_of_held_out_data(tmp_path: Path, heading: str, counter: str) -> None:
    rows = [(i, 2 - i / 100, 3 - i / 100) for i in range(40)]
    block = "{c} {i}\nIn-sample\nloss: {x}\n{h}\nloss: {v}\n"
    text = "".join(block.format(c=counter, i=i, x=x, v=v, h=heading) for i, x, v in rows)
    table = read(tmp_path, text)
    assert points(table, "loss") == [(i, x) for i, x, _ in rows]
    assert points(table, "val_loss") == [(i, v) for i, _, v in rows]


@pytest.mark.parametrize("train", ["Train\n", ""])
def test_a_heading_above_the_step_is_of_what_stands_below(tmp_path: Path, train: str) -> None:
    rows = [(10 * i, 2 - i / 100, 3 - i / 100) for i in range(40)]
    block = "{t}Step {i}\n loss: {x}\nValidation\nStep {i}\n loss: {v}\n"
    table = read(tmp_path, "".join(block.format(t=train, i=i, x=x, v=v) for i, x, v in rows))
    assert points(table, "loss") == [(i, x) for i, x, _ in rows]
    assert points(table, "val_loss") == [(i, v) for i, _, v in rows]


def test_a_heading_without_values_is_not_of_the_next_step(tmp_path: Path) -> None:
    rows = [(10 * i, 2 - i / 100) for i in range(40)]
    table = read(tmp_path, "".join(f"Step {i}\nloss: {x}\nValidation\n" for i, x in rows))
    assert points(table, "loss") == rows


@pytest.mark.parametrize(
    "block",
    [
        "{w} iteration {i}\ntrain loss {x}\nval loss {v}\n",
        "{w} epoch {i}\ntrain loss {x}\nval loss {v}\n",
        "train loss {x}\nval loss {v}\nFinished epoch {i}\n",
        "train loss {x}\nval loss {v}\nEpoch {i} done\n",
    ],
)
@pytest.mark.parametrize("word", ["Starting", "Beginning", "Training"])
def test_sentences_that_begin_or_end_a_record(tmp_path: Path, block: str, word: str) -> None:
    rows = [(i, 2 - i / 100, 3 - i / 100) for i in range(40)]
    table = read(tmp_path, "".join(block.format(w=word, i=i, x=x, v=v) for i, x, v in rows))
    assert points(table, "train loss") == [(i, x) for i, x, _ in rows]
    held_out = next(one.tag for one in table.series if one.tag.startswith("val"))
    assert points(table, held_out) == [(i, v) for i, _, v in rows]
