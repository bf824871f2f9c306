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
