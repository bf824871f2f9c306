"""Runs one at a time: what must be read together, and what is held in memory."""

from __future__ import annotations

import gc
import weakref
from pathlib import Path

import pytest

from spikedoc.ingest import iter_runs, load_runs, reading
from spikedoc.ingest.batches import batches
from spikedoc.ingest.discovery import LogFile, find
from spikedoc.readers.base import Progress, RawSeries, Table
from tests.notes import english


def table(path: Path, seed: int, name: str = "loss") -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    rows = "".join(f"{i},{(i * 7 + seed) % 13}.5\n" for i in range(30))
    path.write_text(f"step,{name}\n{rows}")


def parts(folder: Path) -> list[list[str]]:
    return [[file.path.name for file in batch] for batch in batches(find(folder).files)]


def test_folders_of_one_format_stand_alone(tmp_path: Path) -> None:
    for number in range(3):
        table(tmp_path / str(number) / "log.csv", number)
        table(tmp_path / str(number) / "more.csv", number, "lr")
    assert parts(tmp_path) == [["log.csv", "more.csv"]] * 3


def test_few_folders_of_two_formats_are_compared(tmp_path: Path) -> None:
    table(tmp_path / "a" / "log.csv", 1)
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / "log.jsonl").write_text('{"step": 1, "loss": 2}\n')
    assert parts(tmp_path) == [["log.csv", "log.jsonl"]]


def test_of_very_many_only_companions_go_with_the_run_above(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("spikedoc.ingest.batches.MOST_COMPARED", 2)
    for number in range(4):
        table(tmp_path / str(number) / "log.csv", number)
        (tmp_path / str(number) / "out").mkdir()
        (tmp_path / str(number) / "out" / "stdout.txt").write_text("step: 1 loss: 2\n")
    (tmp_path / "x.jsonl").write_text('{"step": 1, "loss": 2}\n')
    assert parts(tmp_path) == [["x.jsonl"], *([["log.csv", "stdout.txt"]] * 4)]


def test_a_run_is_let_go_before_the_next_but_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(12):
        table(tmp_path / f"{number:02}" / "log.csv", number)
    most = 0
    alive: list[weakref.ref[RawSeries]] = []
    names = []
    for run in iter_runs(tmp_path):
        names.append(run.name)
        alive.append(weakref.ref(run.series[0].values))  # type: ignore[arg-type]
        del run
        gc.collect()
        most = max(most, sum(ref() is not None for ref in alive))
    assert names == [f"{number:02}" for number in range(12)]
    assert most <= 2


def test_files_are_read_only_when_their_turn_comes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(5):
        table(tmp_path / str(number) / "log.csv", number)
    read: list[Path] = []
    real = reading._table

    def spy(file: LogFile, progress: Progress | None, memory: int) -> Table:
        read.append(file.path)
        return real(file, progress, memory)

    monkeypatch.setattr(reading, "_table", spy)
    runs = iter_runs(tmp_path)
    next(runs)
    assert len(read) == 2
    assert len(list(runs)) == 4
    assert len(read) == 5


def test_notes_that_come_late_are_told_by_the_last_run(tmp_path: Path) -> None:
    table(tmp_path / "a" / "log.csv", 1)
    table(tmp_path / "b" / "log.csv", 2)
    table(tmp_path / "c" / "data.csv", 3, "petals")
    first, last = load_runs(tmp_path)
    assert "c/data.csv: no known quantity; left out" in english(last.notes)
    assert first.notes == ()


def test_logs_without_any_known_quantity_are_all_there_is(tmp_path: Path) -> None:
    for number in range(3):
        table(tmp_path / str(number) / "log.csv", number, "petals")
    assert [run.name for run in load_runs(tmp_path)] == ["0", "1", "2"]


def test_the_order_of_the_search_is_kept(tmp_path: Path) -> None:
    for name in ("b", "a", "c"):
        table(tmp_path / name / "log.csv", ord(name))
    found: list[LogFile] = [file for batch in batches(find(tmp_path).files) for file in batch]
    assert [file.folder.name for file in found] == ["a", "b", "c"]
