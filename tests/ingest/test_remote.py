"""Addresses and streams."""

from __future__ import annotations

import io
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import fsspec
import pytest
from fsspec.registry import _registry

from spikedoc.errors import InputError
from spikedoc.ingest import load_runs, load_stream
from spikedoc.ingest.remote import fetched, is_address, local_path

TRACKERS = Path(__file__).parents[1] / "data" / "trackers"
TABLE = b"step,loss\n" + b"".join(b"%d,%d.5\n" % (i, i % 7) for i in range(50))


@pytest.fixture
def store() -> Iterator[Any]:
    fs = fsspec.filesystem("memory")
    yield fs
    fs.store.clear()
    fs.pseudo_dirs[:] = [""]


@pytest.fixture(autouse=True)
def own_temporary_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Everything that is copied goes here, and nothing may be left."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    yield folder
    assert list(folder.iterdir()) == []


def test_one_remote_file(store: Any) -> None:
    store.pipe("/bucket/run/log.csv", TABLE)
    for address in ("memory://bucket/run/log.csv", Path("memory://bucket/run/log.csv")):
        (run,) = load_runs(address)
        assert run.name == "log.csv"
        assert run.path == "memory://bucket/run/log.csv"
        assert run.sources[0].path == "memory://bucket/run/log.csv"
        assert len(run.series[0]) == 50


def test_a_remote_folder_with_settings(store: Any) -> None:
    store.pipe("/bucket/runs/a/log.csv", TABLE)
    store.pipe("/bucket/runs/a/config.json", b'{"lr": 0.5}')
    store.pipe("/bucket/runs/b/log.csv", TABLE.replace(b".5", b".25"))
    store.pipe("/bucket/runs/b/weights.pt", b"\x80\x04" * 1000)
    a, b = load_runs("memory://bucket/runs")
    assert (a.name, b.name) == ("a", "b")
    assert a.path == "memory://bucket/runs/a"
    assert a.sources[0].path == "memory://bucket/runs/a/log.csv"
    assert a.config["lr"] == 0.5


def test_a_remote_pattern(store: Any) -> None:
    for name in "abc":
        store.pipe(f"/bucket/runs/{name}/log.csv", TABLE)
    assert [run.name for run in load_runs("memory://bucket/runs/[ac]/*.csv")] == ["a", "c"]


def test_a_tracker_s_folder_from_afar(store: Any) -> None:
    root = TRACKERS / "mlflow" / "mlruns"
    for path in root.rglob("*"):
        if path.is_file():
            store.pipe(f"/b/mlruns/{path.relative_to(root)}", path.read_bytes())
    (run,) = load_runs("memory://b/mlruns")
    assert sorted(len(one) for one in run.series) == [3, 24, 24, 24]
    assert run.config["lr"] == 0.001


def test_nothing_there(store: Any) -> None:
    with pytest.raises(InputError, match="cannot be fetched: no such file") as error:
        load_runs("memory://bucket/none")
    assert error.value.path == "memory://bucket/none"
    store.pipe("/bucket/x.csv", b"")
    with pytest.raises(InputError, match="empty file") as error:
        load_runs("memory://bucket/x.csv")
    assert error.value.path == "memory://bucket/x.csv"


def test_more_than_is_fetched(store: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("spikedoc.ingest.remote.MOST_FETCHED", 1000)
    store.pipe("/bucket/runs/a/log.csv", TABLE)
    long = TABLE + b"".join(b"%d,0.5\n" % i for i in range(50, 2000))
    store.pipe("/bucket/runs/b/log.csv", long)
    (run,) = load_runs("memory://bucket/runs")
    assert run.name == "a"
    assert any("beyond what is fetched" in note.en for note in run.notes)
    (cut,) = load_runs("memory://bucket/runs/b/log.csv")
    assert 50 < cut.sources[0].size <= 1000
    assert any("only the first" in note.en for note in cut.notes)


def test_names_that_lead_out_of_the_copy(store: Any, own_temporary_folder: Path) -> None:
    store.store["/bucket/runs/../../../evil.csv"] = fsspec.filesystem("memory").open(
        "/bucket/runs/x.csv", "wb"
    )
    store.pipe("/bucket/runs/a/log.csv", TABLE)
    with fetched("memory://bucket/runs") as (place, _, _):
        inside = [path for path in own_temporary_folder.rglob("*") if path.is_file()]
        assert all(path.is_relative_to(place) for path in inside)
    assert not (own_temporary_folder.parent / "evil.csv").exists()


def test_a_missing_package(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in ("s3fs", "aiohttp", "fsspec.implementations.http"):
        monkeypatch.setitem(sys.modules, module, None)
    for protocol in ("s3", "http"):  # what another test has loaded
        monkeypatch.delitem(_registry, protocol, raising=False)
    with pytest.raises(InputError, match=r"pip install s3fs") as error:
        load_runs("s3://key:secret@bucket/run")
    assert "secret" not in str(error.value)
    with pytest.raises(InputError, match=r"pip install aiohttp"):
        load_runs("https://host.invalid/log.csv")


def test_a_back_end_that_fails_in_its_own_way(monkeypatch: pytest.MonkeyPatch, store: Any) -> None:
    def fail(*_: object, **__: object) -> None:
        raise RuntimeError("403: denied\nlong explanation")

    monkeypatch.setattr(type(store), "isfile", fail)
    with pytest.raises(InputError, match=r"cannot be fetched: 403: denied$"):
        load_runs("memory://bucket/run")


def test_addresses_on_this_disk(tmp_path: Path) -> None:
    path = tmp_path / "a b.csv"
    path.write_bytes(TABLE)
    (run,) = load_runs(f"file://{tmp_path}/a%20b.csv")
    assert run.path == str(path)
    assert local_path("file:///x/y") == Path("/x/y")
    assert local_path("s3://x/y") is None


@pytest.mark.parametrize(
    "name", ["runs/a", "C:/runs", "nope://x", "simplecache::s3://b/x", "github://a:b@c/", "zip://x"]
)
def test_what_is_no_address(name: str) -> None:
    assert not is_address(name)
    with pytest.raises(InputError):
        load_runs(name)


def test_a_stream(monkeypatch: pytest.MonkeyPatch) -> None:
    (run,) = load_stream(io.BytesIO(TABLE), "pipe")
    assert (run.name, run.path) == ("pipe", "pipe")
    assert len(run.series[0]) == 50

    class Input:
        buffer = io.BytesIO(b"step: 1 loss: 0.5\nstep: 2 loss: 0.25\n")

    monkeypatch.setattr(sys, "stdin", Input)
    (run,) = load_runs("-")
    assert (run.name, run.path) == ("stdin", "stdin")
    assert run.series[0].steps.tolist() == [1, 2]


def test_streams_with_nothing_in_them() -> None:
    with pytest.raises(InputError, match="empty file") as error:
        load_stream(io.BytesIO(b""))
    assert error.value.path == "stdin"
    closed = io.BytesIO()
    closed.close()
    with pytest.raises(InputError, match="cannot be read"):
        load_stream(closed)
