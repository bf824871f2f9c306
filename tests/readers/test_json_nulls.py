"""Records with null in place of a number."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from tables import points

from spikedoc.readers.jsonl import READER
from tests.notes import english


@pytest.mark.parametrize(
    ("is_null", "count"),
    [
        (lambda i: 10 < i < 14, 3),  # some
        (lambda i: i > 12, 27),  # all from there on
        (lambda i: i % 5, 0),  # logged now and then
        (lambda i: i % 5 or i > 20, 35),  # no more
    ],
)
def test_null_where_others_have_a_number_is_told(
    tmp_path: Path, is_null: Callable[[int], bool], count: int
) -> None:
    path = tmp_path / "log.jsonl"
    rows = [{"step": i, "loss": 0.5, "x": None if is_null(i) else 1.5} for i in range(40)]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    table = READER.read(path)
    assert points(table, "x") == [(i, 1.5) for i in range(40) if not is_null(i)]
    told = [note for note in english(table.notes) if "null stands for x" in note]
    assert [f"in {count} records" in note for note in told] == [True] * bool(count)
