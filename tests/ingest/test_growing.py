"""Logs that are written, cut, or replaced while they are read."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from spikedoc.errors import InputError
from spikedoc.ingest.load import load_runs
from spikedoc.ingest.recognition import recognise
from spikedoc.model.metric import Metric
from spikedoc.model.run import Run
from spikedoc.readers.base import Table

EVENTS = Path(__file__).parents[1] / "data" / "frameworks" / "lightning"
ROWS = 300


def csv_lines(count: int = ROWS) -> Iterator[str]:
    yield "step,loss,lr\n"
    yield from (f"{i},{1 + i / 1000:.3f},0.125\n" for i in range(count))


def json_lines(count: int = ROWS) -> Iterator[str]:
    yield from (
        json.dumps({"step": i, "loss": 1 + i / 1000, "lr": 0.125}) + "\n" for i in range(count)
    )


def text_lines(count: int = ROWS) -> Iterator[str]:
    yield from (f"step {i} loss {1 + i / 1000:.3f} lr 0.125\n" for i in range(count))


def state_lines(count: int = ROWS) -> Iterator[str]:
    rows = [{"step": i, "loss": 1 + i / 1000} for i in range(count)]
    yield json.dumps({"log_history": rows, "global_step": count}, indent=1)


WRITERS: dict[str, Callable[[], Iterator[str]]] = {
    "log.csv": csv_lines,
    "log.jsonl": json_lines,
    "train.log": text_lines,
    "trainer_state.json": state_lines,
}


def contents() -> dict[str, bytes]:
    found = {name: "".join(lines()).encode() for name, lines in WRITERS.items()}
    events = next(path for path in sorted(EVENTS.rglob("*tfevents*")))
    return found | {events.name: events.read_bytes()}


CONTENTS = contents()
CHANGES: dict[str, Callable[[bytes], bytes]] = {
    "cut to nothing": lambda _: b"",
    "cut amid a record": lambda content: content[: len(content) // 2 + 3],
    "written anew": lambda content: content[: len(content) // 20],
    "another file": lambda _: b"\x00\xff" * 5_000,
    "grown": lambda content: content + content[: len(content) // 3],
}


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("name", CONTENTS)
@pytest.mark.parametrize("large", [False, True])
def test_a_file_that_changes_between_two_looks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, change: str, *, large: bool
) -> None:
    """The reader was chosen by the old bytes, and finds other ones."""
    if large:
        monkeypatch.setattr("spikedoc.readers.csv.LARGE_FILE_BYTES", 1)
    path = tmp_path / name
    path.write_bytes(CONTENTS[name])
    reader, _, _ = recognise(path)
    assert reader is not None
    path.write_bytes(CHANGES[change](CONTENTS[name]))
    try:
        table = reader.read(path)
    except InputError:
        return
    assert change not in ("cut to nothing", "another file")
    assert table.series


@pytest.mark.parametrize("name", WRITERS)
def test_a_file_that_shrinks_while_it_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """Its size is asked for before it is read, and no longer true."""
    path = tmp_path / name
    path.write_bytes(CONTENTS[name])
    size, stat = len(CONTENTS[name]), Path.stat

    def cut_after(self: Path, *, follow_symlinks: bool = True) -> object:
        found = stat(self, follow_symlinks=follow_symlinks)
        if self == path and found.st_size == size:
            path.write_bytes(CONTENTS[name][: size // 3])
        return found

    reader, _, _ = recognise(path)
    assert reader is not None
    monkeypatch.setattr(Path, "stat", cut_after)
    table = reader.read(path)
    assert 0 < max(series.steps.size for series in table.series) < ROWS / 2


def test_a_file_that_is_gone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    other = tmp_path / "run" / "b.jsonl"
    path = tmp_path / "run" / "a.csv"
    path.parent.mkdir()
    path.write_bytes(CONTENTS["log.csv"])
    other.write_bytes(CONTENTS["log.jsonl"])
    reader, _, _ = recognise(path)
    assert reader is not None
    plain = type(reader).read_within  # type: ignore[attr-defined]

    def gone(self: object, path: Path, memory: int, progress: object = None) -> Table:
        path.unlink()
        return plain(self, path, memory, progress)

    monkeypatch.setattr(type(reader), "read_within", gone)
    (run,) = load_runs(path.parent)
    assert any("a.csv: no such file or directory" in note.en for note in run.notes)


def losses(run: Run) -> list[tuple[int, float]]:
    (loss,) = (one for one in run.series if one.metric is Metric.LOSS)
    return list(zip(loss.steps.tolist(), loss.values.tolist(), strict=True))


@pytest.mark.parametrize("name", ["log.csv", "log.jsonl", "train.log"])
def test_a_log_that_is_being_written(tmp_path: Path, name: str) -> None:
    """What is read is what was written, up to some record: no half number gets in."""
    path = tmp_path / name
    text = "".join(WRITERS[name]())
    done = threading.Event()
    start = text.find("\n", 200) + 1
    path.write_text(text[:start], encoding="ascii")

    def write() -> None:
        with path.open("a", encoding="ascii") as file:
            for at in range(start, len(text), 7):
                file.write(text[at : at + 7])
                file.flush()
        done.set()

    writer = threading.Thread(target=write)
    writer.start()
    lengths = []
    while not done.is_set():
        (run,) = load_runs(path)
        found = losses(run)
        expected = [(i, round(1 + i / 1000, 3)) for i in range(len(found))]
        assert [(i, round(value, 3)) for i, value in found] == expected
        lengths.append(len(found))
    writer.join()
    (run,) = load_runs(path)
    assert len(losses(run)) == ROWS
    assert lengths == sorted(lengths)
