"""Lines that Ray puts the actor and its process in front of."""

from __future__ import annotations

from pathlib import Path

import pytest

from spikedoc.readers._text_writers import PROCESSES
from spikedoc.readers.base import Table
from spikedoc.readers.text import READER


def read(tmp_path: Path, text: str) -> Table:
    path = tmp_path / "train.log"
    path.write_text(text, encoding="utf-8")
    return READER.read(path)


def series(table: Table) -> dict[str, list[tuple[int, float]]]:
    return {
        one.tag: list(zip(one.steps.tolist(), one.values.tolist(), strict=True))
        for one in table.series
    }


@pytest.mark.parametrize(
    "prefix",
    [
        "(TaskRunner pid=4242) ",
        "\x1b[36m(TaskRunner pid=4242)\x1b[0m ",
        "(RayTrainWorker pid=7, ip=10.0.0.1) ",
        "(train_cifar[a_01] pid=7) ",
        "(pid=7) ",
    ],
)
def test_one_process_is_the_training(tmp_path: Path, prefix: str) -> None:
    table = read(tmp_path, "".join(f"{prefix}step:{i} - loss:{i + 0.5}\n" for i in range(5)))
    assert series(table) == {"loss": [(i, i + 0.5) for i in range(5)]}
    assert table.notes == ()


def test_processes_in_turn_are_kept_apart_and_told(tmp_path: Path) -> None:
    line = "(train pid={p}) step {s} loss {v}\n"
    text = "".join(line.format(p=p, s=s, v=s + p) for s in range(6) for p in (70, 80))
    found = series(read(tmp_path, text))
    assert found["loss"] == [(s, s + 75.0) for s in range(6)]
    assert found["loss/rank0"] == [(s, s + 70.0) for s in range(6)]
    assert found["loss/rank1"] == [(s, s + 80.0) for s in range(6)]
    assert PROCESSES.fill({"count": 2}) in read(tmp_path, text).notes


def test_a_worker_that_was_started_again_goes_on(tmp_path: Path) -> None:
    line = "(train pid={p}) step {s} loss {v}\n"
    text = "".join(line.format(p=70 if s < 6 else 80, s=s, v=s + 0.5) for s in range(12))
    assert series(read(tmp_path, text)) == {"loss": [(s, s + 0.5) for s in range(12)]}


def test_other_brackets_are_no_process(tmp_path: Path) -> None:
    table = read(tmp_path, "".join(f"(lr=0.5) step {i} loss {i}.5\n" for i in range(5)))
    assert series(table)["loss"] == [(i, i + 0.5) for i in range(5)]
    assert "loss/rank0" not in series(table)
