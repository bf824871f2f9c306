from __future__ import annotations

import sqlite3
from pathlib import Path

import fleets
import pytest

from spikedoc.errors import UsageError
from spikedoc.fleet.jsonl_store import JsonlStore
from spikedoc.fleet.record import State
from spikedoc.fleet.sqlite_store import SqliteStore
from spikedoc.fleet.store import NoStore, open_store, read_store

KINDS = ["runs.jsonl", "runs.db"]
A, B = fleets.record("a", points=1), fleets.record("b", State.CRITICAL)


@pytest.mark.parametrize("name", KINDS)
def test_what_is_kept_is_there_again(tmp_path: Path, name: str) -> None:
    store = open_store(tmp_path / name)
    assert store.load() == []
    store.add([A])
    store.add([B])
    assert read_store(tmp_path / name) == [A, B], "while it is written"
    store.close()
    again = open_store(tmp_path / name)
    assert again.load() == [A, B]
    again.close()


@pytest.mark.parametrize("name", KINDS)
def test_a_later_result_stands_for_an_earlier_one(tmp_path: Path, name: str) -> None:
    store = open_store(tmp_path / name)
    two = [fleets.record("a", part=part, parts=2) for part in (1, 2)]
    store.add(two)
    assert store.load() == two
    grown = fleets.record("a", key="grown")
    store.add([grown])
    assert store.load() == [grown]
    store.close()


@pytest.mark.parametrize("name", KINDS)
def test_a_path_that_is_no_text_is_kept(tmp_path: Path, name: str) -> None:
    odd = fleets.record("a\udcff'; DROP TABLE runs; --\n")
    store = open_store(tmp_path / name)
    store.add([odd])
    assert store.load() == [odd]
    store.close()


@pytest.mark.parametrize("name", KINDS)
def test_other_files_are_left_alone(tmp_path: Path, name: str) -> None:
    file = tmp_path / name
    if name.endswith("db"):
        with sqlite3.connect(file) as base:
            base.execute("CREATE TABLE mine (x)")
        base.close()
    else:
        file.write_text('{"step": 1, "loss": 2.0}\n')
    before = file.read_bytes()
    for use in (open_store, read_store):
        with pytest.raises(UsageError, match="no results of a scan"):
            use(file)
    assert file.read_bytes() == before
    file.write_bytes(b"\x00" * 5000)
    for use in (open_store, read_store):
        with pytest.raises(UsageError):
            use(file)


@pytest.mark.parametrize("name", KINDS)
def test_what_cannot_be_opened_is_said(tmp_path: Path, name: str) -> None:
    with pytest.raises(UsageError):
        open_store(tmp_path / "missing" / name)
    with pytest.raises(UsageError):
        read_store(tmp_path / name)


def test_the_suffix_decides(tmp_path: Path) -> None:
    kinds = {"a.sqlite": SqliteStore, "a.txt": JsonlStore}
    for name, kind in kinds.items():
        store = open_store(tmp_path / name)
        assert isinstance(store, kind)
        store.close()
    none = open_store(None)
    assert isinstance(none, NoStore)
    none.add([A])
    assert none.load() == []
    none.close()
