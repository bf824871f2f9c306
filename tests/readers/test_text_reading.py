"""Whole printed logs: ranks, unfinished ends, messages, mixed layouts."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from tables import series

from spikedoc.readers.base import Table
from spikedoc.readers.text import READER


def read(tmp_path: Path, text: str) -> Table:
    path = tmp_path / "train.log"
    path.write_text(text, encoding="utf-8")
    return READER.read(path)


PREFIXES = [
    "[rank{r}]: ",
    "[default{r}]:",
    "{r}: ",
    "[1,{r}]<stdout>: ",
    "rank {r} | ",
    "[Rank {r}] ",
]


@pytest.mark.parametrize("prefix", PREFIXES)
def test_several_ranks_in_turn(tmp_path: Path, prefix: str) -> None:
    rows = []
    for step in range(1, 21):
        for rank in (0, 1, 2):
            loss = step + 3.0 * rank
            rows.append(f"{prefix.format(r=rank)}step {step} loss: {loss} lr: 0.5\n")
    found = series(read(tmp_path, "".join(rows)))
    assert set(found) == {"loss", "lr", "loss/rank0", "loss/rank1", "loss/rank2"}
    steps = np.arange(1, 21)
    np.testing.assert_array_equal(found["loss"].steps, steps)
    np.testing.assert_allclose(found["loss"].values, steps + 3.0)
    np.testing.assert_array_equal(found["loss/rank2"].values, steps + 6.0)
    assert [found[f"loss/rank{r}"].rank for r in range(3)] == [0, 1, 2]
    assert found["loss"].rank is None


def test_a_nan_of_one_rank_is_a_nan_of_all(tmp_path: Path) -> None:
    text = "".join(
        f"[rank{r}]: step {s} loss: {'nan' if (r, s) == (1, 3) else 2.5}\n"
        for s in range(1, 6)
        for r in (0, 1)
    )
    found = series(read(tmp_path, text))
    assert math.isnan(found["loss"].values[2])
    assert np.isfinite(found["loss"].values[[0, 1, 3, 4]]).all()
    assert np.isfinite(found["loss/rank0"].values).all()


def test_one_rank_that_stops_early(tmp_path: Path) -> None:
    text = "".join(
        f"[rank{r}]: step {s} loss: {s + r}.5\n" for s in range(1, 41) for r in (0, 1) if r + s < 20
    )
    text += "".join(f"[rank0]: step {s} loss: {s}.5\n" for s in range(20, 41))
    found = series(read(tmp_path, text))
    assert found["loss"].steps.tolist() == list(range(1, 41))
    np.testing.assert_array_equal(found["loss"].values, np.arange(1, 41) + 0.5)


def test_a_step_in_front_is_no_rank(tmp_path: Path) -> None:
    found = series(read(tmp_path, "".join(f"{s}: loss {s}.5\n" for s in range(1, 30))))
    assert found["loss"].steps.tolist() == list(range(1, 30))


@pytest.mark.parametrize("cut", range(1, 6))
def test_a_number_cut_at_the_end_is_left_out(tmp_path: Path, cut: int) -> None:
    text = "step 1 loss 2.5000\nstep 2 loss 2.2500\nstep 3 loss 2.1250"
    table = read(tmp_path, text[:-cut])
    assert series(table)["loss"].steps.tolist() == [1, 2]
    assert any("not finished" in note.en for note in table.notes)


def test_a_whole_last_line_needs_no_line_end(tmp_path: Path) -> None:
    table = read(tmp_path, "step 1 loss 2.5000\nstep 2 loss 2.2500\nstep 3 loss 2.1250")
    assert series(table)["loss"].steps.tolist() == [1, 2, 3]


def test_a_dict_cut_at_the_end_is_left_out(tmp_path: Path) -> None:
    text = "{'loss': 2.5, 'step': 1}\n{'loss': 2.25, 'step': 2}\n{'loss': 2."
    assert series(read(tmp_path, text))["loss"].steps.tolist() == [1, 2]


def test_messages_of_the_beginning_and_of_the_end_are_kept(tmp_path: Path) -> None:
    text = "step: 1 loss: 3\nstep: 2 loss: 3\n"
    text += "".join(f"OVERFLOW! number {i}\n" for i in range(1000))
    text += "RuntimeError: CUDA error: device-side assert triggered\n"
    events = [line for _, line in read(tmp_path, text).events]
    assert events[0] == "OVERFLOW! number 0"
    assert events[-1].startswith("RuntimeError")
    assert len(events) == 200


@pytest.mark.parametrize(
    "line",
    [
        "Function 'MulBackward0' returned nan values in its 0th output.",
        "Current loss scale already at minimum - cannot decrease scale anymore. Exiting run.",
        "torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB",
        "slurmstepd: error: *** JOB 1 ON host CANCELLED AT 2024-01-01T00:00:00 ***",
        "FloatingPointError: Minimum loss scale reached (0.0001)",
        "ValueError: nan",
        "KeyboardInterrupt",
    ],
)
def test_messages_that_are_kept(tmp_path: Path, line: str) -> None:
    table = read(tmp_path, f"step: 1 loss: 3\nstep: 2 loss: 3\n{line}\n")
    assert table.events == ((2, line),)


def test_two_layouts_in_one_log(tmp_path: Path) -> None:
    text = "".join(
        f"[INFO] [logging.py:96:log_dist] [Rank 0] step={s}, skipped=0, lr=[0.5], mom=[0.9]\n"
        f"steps: {s} loss: {s}.5 iter time (s): 3.162\n"
        for s in (17, 18, 19)
    )
    found = series(read(tmp_path, text))
    assert found["loss"].steps.tolist() == [17, 18, 19]
    assert found["lr"].steps.tolist() == [17, 18, 19]


def test_negative_losses_and_counts_that_restart(tmp_path: Path) -> None:
    text = "".join(f"step {s} loss -{s}.5\n" for s in (1, 2, 3, 2, 3, 4))
    one = series(read(tmp_path, text))["loss"]
    assert one.steps.tolist() == [1, 2, 3, 2, 3, 4]
    assert one.order is not None
    assert one.order.tolist() == list(range(6))


def test_steps_too_large_to_be_steps(tmp_path: Path) -> None:
    text = "step 1 loss 2.5\nstep 999999999999999 loss 2.5\nstep 3 loss 1.5\n"
    assert series(read(tmp_path, text))["loss"].values.tolist() == [2.5, 2.5, 1.5]


def test_rounded_steps_of_tables_are_counted_on(tmp_path: Path) -> None:
    def table(step: str) -> str:
        return f"{'-' * 20}\n| loss   | 2.5     |\n| step   | {step:8}|\n{'-' * 20}\n"

    steps = range(9900, 10300, 20)
    text = "".join(table(str(s) if s < 10000 else f"{s:.2e}") for s in steps)
    assert series(read(tmp_path, text))["loss"].steps.tolist() == list(steps)
