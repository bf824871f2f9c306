"""Headers that name one column fewer than the rows have."""

from __future__ import annotations

from pathlib import Path

import pytest
from tables import points

from spikedoc.readers import csv as csv_module
from spikedoc.readers._csv_index import index_of, lacks_last_name, one_wider
from spikedoc.readers.csv import READER

EPISODES = [["0", "20", "0.99"], ["1", "22", "0.98"], ["2", "19", "0.97"]]


def test_the_rows_looked_at() -> None:
    assert one_wider(EPISODES, 2) == EPISODES
    assert one_wider([*EPISODES, ["3", "1"]], 2) == EPISODES
    assert one_wider([["0", "1"], *EPISODES], 2) == []
    assert one_wider([], 2) == []


@pytest.mark.parametrize(
    ("names", "rows", "last", "index"),
    [
        (["episode", "reward"], EPISODES, True, "step"),
        (["Episode_num", "x"], EPISODES, True, "step"),
        (["reward", "x"], EPISODES, False, "step"),
        # the numbers of the rows beside a counter that rises as well
        (
            ["episode", "reward"],
            [["0", "1", "0.5"], ["1", "2", "1.5"], ["2", "3", "0"]],
            False,
            "step",
        ),
        (["step", "loss"], [["0", "10", "0.5"], ["1", "20", "0.4"], ["2", "30", "0"]], False, ""),
        (
            ["step", "loss"],
            [["1", "0.5", "0.7"], ["2", "0.2", "0.5"], ["3", "0.1", "0.2"]],
            True,
            None,
        ),
        (["step", "loss"], [["1", "0", "31"], ["2", "0", "29"], ["3", "0", "28"]], False, None),
    ],
)
def test_which_name_is_missing(
    names: list[str], rows: list[list[str]], last: bool, index: str | None
) -> None:
    assert lacks_last_name(names, rows) is last
    assert index_of(names, rows, ",") == index


@pytest.mark.parametrize("is_large", [False, True])
def test_the_last_column_without_a_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_large: bool
) -> None:
    if is_large:
        monkeypatch.setattr(csv_module, "LARGE_FILE_BYTES", 10)
    path = tmp_path / "log.csv"
    rows = [(i, (7 * i) % 20, round(0.99**i, 6)) for i in range(12)]
    path.write_text("episode,reward\n" + "".join(f"{i},{r},{x}\n" for i, r, x in rows))
    assert READER.accepts(path, path.read_bytes())
    table = READER.read(path)
    assert points(table, "episode") == [(i, i) for i in range(12)]
    assert points(table, "reward") == [(i, r) for i, r, _ in rows]
    assert points(table, "col2") == [(i, x) for i, _, x in rows]
    assert "the last one is called col2" in " ".join(note.en for note in table.notes)
