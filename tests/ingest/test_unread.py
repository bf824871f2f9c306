"""Stores of trackers that are not read."""

from __future__ import annotations

from pathlib import Path

import pytest

from spikedoc.errors import InputError
from spikedoc.ingest import load_runs
from spikedoc.ingest.discovery import find
from spikedoc.ingest.unread import UNREAD_STORES, unread_store
from tests.notes import english

TABLE = "step,loss\n" + "".join(f"{i},{i % 7}.5\n" for i in range(20))
# What RocksDB and Neptune write in words.
FILES = {
    ".aim": ("seqs/chunks/abc/LOG", "2026/11/30-08:00:00.1 7f RocksDB\nstep: 1 loss: 2.5\n"),
    ".neptune": ("offline/run__1/exec-1/data-1.log", '{"obj": {"step": 1, "loss": 2.5}}\n' * 9),
}


@pytest.fixture(params=sorted(UNREAD_STORES))
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    name, text = FILES[request.param]
    path = tmp_path / "runs" / request.param / name
    path.parent.mkdir(parents=True)
    path.write_text(text, encoding="utf-8")
    return tmp_path / "runs" / str(request.param)


def test_alone_it_is_told_with_what_to_do(store: Path) -> None:
    for given in (store, store.parent):
        with pytest.raises(InputError, match=r"is not read: .*CSV"):
            list(load_runs(given))


def test_beside_a_log_it_is_a_note(store: Path) -> None:
    (store.parent / "log.csv").write_text(TABLE, encoding="utf-8")
    (run,) = load_runs(store.parent)
    assert [note for note in english(run.notes) if note.startswith(store.name) and "CSV" in note]
    assert len(find(store.parent).files) == 1


def test_other_folders_are_searched(tmp_path: Path) -> None:
    assert unread_store(tmp_path) is None
