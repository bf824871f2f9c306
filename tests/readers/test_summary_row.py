"""A last row that sums up the run."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tables import points

from spikedoc.readers import csv, jsonl
from spikedoc.readers._notes import SUMMARY_ROW
from spikedoc.readers.base import Table

EPOCHS: list[dict[str, Any]] = [{"epoch": e, "loss": 2 - e / 10, "val_loss": 3.0} for e in range(9)]


def of_records(tmp_path: Path, rows: list[dict[str, Any]]) -> Table:
    path = tmp_path / "log.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return jsonl.READER.read(path)


@pytest.mark.parametrize("extra", [{}, {"type": "summary"}, {"total_time": 33.0}])
def test_a_summary_changes_no_value_of_the_last_step(tmp_path: Path, extra: dict[str, Any]) -> None:
    table = of_records(tmp_path, [*EPOCHS, {"loss": 0.25, "test_acc": 0.5, **extra}])
    assert points(table, "loss") == [(e, 2 - e / 10) for e in range(9)]
    assert points(table, "test_acc") == [(8, 0.5)]
    assert SUMMARY_ROW in table.notes


def test_a_summary_of_a_table(tmp_path: Path) -> None:
    path = tmp_path / "log.csv"
    rows = "".join(f"{e},{2 - e / 10}\n" for e in range(9))
    path.write_text(f"epoch,loss\n{rows},0.25\n")
    table = csv.READER.read(path)
    assert points(table, "loss") == [(e, 2 - e / 10) for e in range(9)]
    assert SUMMARY_ROW in table.notes


def test_an_evaluation_behind_the_training_is_kept(tmp_path: Path) -> None:
    rows = [{"epoch": e, "loss": 2 - e / 10} for e in range(9)]
    table = of_records(tmp_path, [*rows, {"val_loss": 0.25}])
    assert points(table, "val_loss") == [(8, 0.25)]
    both = [one for row in rows for one in (row, {"val_loss": 0.25})]
    assert len(points(of_records(tmp_path, both), "val_loss")) == 9
    assert SUMMARY_ROW not in of_records(tmp_path, both).notes


def test_rows_without_a_step_in_between_are_no_summary(tmp_path: Path) -> None:
    rows = [
        {"step": 10 * (i // 2), "loss": float(i)} if i % 2 == 0 else {"loss": float(i)}
        for i in range(20)
    ]
    table = of_records(tmp_path, rows)
    assert points(table, "loss")[-1] == (90, 19.0)
    assert SUMMARY_ROW not in table.notes
