from __future__ import annotations

from pathlib import Path

import fleets
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spikedoc.errors import UsageError
from spikedoc.fleet.jsonl_store import JsonlStore, read
from spikedoc.fleet.record import to_line

A, B = fleets.record("a"), fleets.record("b")


@given(st.integers(0, len(to_line(B))))
def test_a_line_that_was_cut_off_is_dropped(
    tmp_path_factory: pytest.TempPathFactory, cut: int
) -> None:
    file = tmp_path_factory.mktemp("store") / "runs.jsonl"
    whole = to_line(A) + "\n"
    file.write_text(whole + to_line(B)[:cut])
    assert read(file) == [A]
    store = JsonlStore(file)
    assert store.load() == [A]
    store.add([B])
    store.close()
    assert file.read_text() == whole + to_line(B) + "\n"


@pytest.mark.parametrize("cut", [1, 10, 30, 200])
def test_a_store_of_nothing_but_a_cut_line_is_begun_anew(tmp_path: Path, cut: int) -> None:
    file = tmp_path / "runs.jsonl"
    file.write_text(to_line(A)[:cut])
    store = JsonlStore(file)
    store.add([B])
    store.close()
    assert read(file) == [B]


def test_two_scans_do_not_write_to_one_store(tmp_path: Path) -> None:
    pytest.importorskip("fcntl")
    store = JsonlStore(tmp_path / "runs.jsonl")
    with pytest.raises(UsageError, match="another scan"):
        JsonlStore(tmp_path / "runs.jsonl")
    store.close()
    JsonlStore(tmp_path / "runs.jsonl").close()


def test_a_damaged_line_in_between_is_passed_over(tmp_path: Path) -> None:
    file = tmp_path / "runs.jsonl"
    file.write_bytes(to_line(A).encode() + b"\n\xff\x00garbage\n" + to_line(B).encode() + b"\n")
    assert read(file) == [A, B]
