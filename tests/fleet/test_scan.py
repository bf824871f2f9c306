from __future__ import annotations

import json
import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import fleets
import fsspec
import pytest

from spikedoc.fleet.engines.base import Done, Work
from spikedoc.fleet.engines.loky import LokyEngine
from spikedoc.fleet.engines.serial import SerialEngine
from spikedoc.fleet.record import Record, State
from spikedoc.fleet.scan import DIED, PAGES_FOLDER, Harvest, Wish, scan
from spikedoc.fleet.store import Store, open_store
from spikedoc.fleet.task import Method, Pages
from spikedoc.ingest.discovery import LogFile
from spikedoc.ingest.read_file import ReadFile
from spikedoc.ingest.reading import Reading
from spikedoc.pipeline import analyze_all

ROOT = Path(__file__).parents[2]
METHOD = Method(may_exit=False)


def scanned(root: Path | str, store: Path | None = None, **more: Any) -> Harvest:
    """Return what comes of a scan in this process."""
    harvest, kept = Harvest(), open_store(store)
    wish = replace(Wish((str(root),), METHOD), **more)
    try:
        scan(wish, kept, SerialEngine(), harvest, lambda _: None)
    finally:
        kept.close()
    return harvest


def statuses(records: Sequence[Record]) -> dict[str, str]:
    return {record.run: record.status.value for record in records}


def test_it_finds_what_analyze_finds() -> None:
    reports = {one.run.name: one.status.value for one in analyze_all(ROOT / "sample_logs")}
    assert statuses(scanned(ROOT / "sample_logs").records) == reports


def test_processes_find_the_same(tmp_path: Path) -> None:
    fleets.write_tree(tmp_path, runs=7)
    engine, harvest, store = LokyEngine(2), Harvest(), open_store(None)
    try:
        scan(Wish((str(tmp_path),)), store, engine, harvest, lambda _: None)
    finally:
        engine.close(now=True)
    assert sorted(harvest.records, key=lambda one: one.path) == sorted(
        scanned(tmp_path).records, key=lambda one: one.path
    )
    assert len(harvest.records) == harvest.done == harvest.places == 7


@pytest.mark.parametrize("name", ["runs.jsonl", "runs.sqlite"])
def test_only_what_changed_is_read_again(tmp_path: Path, name: str) -> None:
    tree, store = fleets.write_tree(tmp_path / "runs"), tmp_path / name
    first = scanned(tree, store)
    assert len(first.fresh) == 4
    second = scanned(tree, store)
    assert second.fresh == []
    assert second.done == 4
    assert sorted(second.records, key=lambda r: r.path) == first.records
    fleets.write_run(tree / "p0/run0", seed=9, steps=400)
    fleets.write_run(tree / "p0/new")
    third = scanned(tree, store)
    assert sorted(one.path for one in third.fresh) == ["p0/new", "p0/run0"]
    assert len(third.records) == 5
    assert scanned(tree, store).fresh == []


class Interrupted(SerialEngine):
    """Ctrl-C in the middle."""

    def __init__(self, after: int) -> None:
        super().__init__()
        self.left = after

    def wait(self) -> list[Done]:
        if not self.left:
            raise KeyboardInterrupt
        self.left -= 1
        return super().wait()


@pytest.mark.parametrize("after", [0, 1, 2])
def test_an_interrupt_loses_nothing_that_was_finished(tmp_path: Path, after: int) -> None:
    tree, file = fleets.write_tree(tmp_path / "runs", runs=6), tmp_path / "runs.jsonl"
    harvest, store = Harvest(), open_store(file)
    wish = Wish((str(tree),), METHOD)
    with pytest.raises(KeyboardInterrupt):
        scan(wish, store, Interrupted(after), harvest, lambda _: None)
    store.close()
    rest = scanned(tree, file)
    assert len(rest.fresh) == 6 - len(harvest.fresh)
    assert len(rest.records) == 6
    assert statuses(rest.records) == statuses(scanned(tree).records)


class Deadly(SerialEngine):
    """A place kills every worker that it is given to."""

    slots = 2

    def __init__(self, path: str) -> None:
        super().__init__()
        self.path = path

    def wait(self) -> list[Done]:
        ticket, _, items = self._waiting[0]
        if any(getattr(item, "path", "") == self.path for item in items):
            self._waiting.pop(0)
            return [(ticket, None)]
        return super().wait()


def test_a_run_that_kills_its_worker_is_an_error_and_tried_again_next_time(tmp_path: Path) -> None:
    tree, file = fleets.write_tree(tmp_path / "runs"), tmp_path / "runs.jsonl"
    harvest, store = Harvest(), open_store(file)
    scan(Wish((str(tree),), METHOD), store, Deadly("p1/run1"), harvest, lambda _: None)
    store.close()
    failed = {one.path: one.error for one in harvest.records if one.status is State.FAILED}
    assert failed == {"p1/run1": DIED.en}
    assert len(harvest.records) == 4
    again = scanned(tree, file)
    assert [one.path for one in again.fresh] == ["p1/run1"]
    assert all(one.status is not State.FAILED for one in again.records)


def test_older_logs_are_passed_over(tmp_path: Path) -> None:
    tree = fleets.write_tree(tmp_path)
    os.utime(tree / "p0/run0/metrics.csv", (1_000, 1_000))
    harvest = scanned(tree, since=2_000.0)
    assert len(harvest.records) == harvest.places == 3
    assert harvest.older == 1


def test_pages_are_written_and_missing_ones_made_good(tmp_path: Path) -> None:
    tree, file, html = fleets.write_tree(tmp_path / "runs"), tmp_path / "r.jsonl", tmp_path / "html"
    scanned(tree, file)
    method = replace(METHOD, pages=Pages.FINDINGS)
    harvest = scanned(tree, file, html=html, method=method)
    pages = list((html / PAGES_FOLDER).iterdir())
    assert [page.name for page in pages] == [one.report for one in harvest.fresh]
    assert len(pages) == 1
    assert scanned(tree, file, html=html, method=method).fresh == []
    pages[0].unlink()
    assert len(scanned(tree, file, html=html, method=method).fresh) == 1


def test_roots_that_cannot_be_used_do_not_end_the_scan(tmp_path: Path) -> None:
    tree = fleets.write_tree(tmp_path / "runs")
    (tmp_path / "empty").mkdir()
    wish = Wish((str(tmp_path / "nothing"), str(tmp_path / "empty"), str(tree)), METHOD)
    harvest = Harvest()
    scan(wish, open_store(None), SerialEngine(), harvest, lambda _: None)
    assert [Path(error.path).name for error in harvest.failures] == ["nothing", "empty"]
    assert len(harvest.records) == 4


def test_a_damaged_log_is_a_line_of_its_own_once(tmp_path: Path) -> None:
    tree, file = fleets.write_tree(tmp_path / "runs"), tmp_path / "r.jsonl"
    (tree / "events.out.tfevents.1.host").write_bytes(b"")
    first = scanned(tree, file)
    told = {one.path: one.status for one in first.records if not one.run}
    assert told == {"events.out.tfevents.1.host": State.UNREADABLE}
    assert scanned(tree, file).fresh == []


def write_mixed(tree: Path) -> None:
    """Write runs in two formats, one of them in both, each format in a folder of its own."""
    for number in range(3):
        fleets.write_run(tree / f"csv{number}", number)
        fleets.write_run(tree / f"json{number}", number if number == 0 else 10 + number)
        log = tree / f"json{number}" / "metrics.csv"
        names, *rows = (line.split(",") for line in log.read_text().splitlines())
        records = [dict(zip(names, map(float, row), strict=True)) for row in rows]
        log.with_suffix(".jsonl").write_text("".join(f"{json.dumps(one)}\n" for one in records))
        log.unlink()


def test_finished_runs_of_several_formats_are_not_read_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tree, file, read = tmp_path / "runs", tmp_path / "r.jsonl", list[str]()
    write_mixed(tree)
    first = scanned(tree, file)
    assert sorted(one.path for one in first.records) == ["csv0", "csv1", "csv2", "json1", "json2"]
    (twice,) = (one.folders for one in first.records if one.path == "csv0")
    assert twice == ("csv0", "json0")
    reading = Reading.read

    def noted(self: Reading, files: Sequence[LogFile]) -> list[ReadFile]:
        read.extend(one.folder.name for one in files)
        return reading(self, files)

    monkeypatch.setattr(Reading, "read", noted)
    assert scanned(tree, file).fresh == []
    assert read == []
    fleets.write_run(tree / "csv1", 1, steps=310)
    again = scanned(tree, file)
    assert [one.path for one in again.fresh] == ["csv1"]
    assert set(read) == {"csv1"}
    assert len(again.records) == len(first.records)


def test_messages_below_a_run_are_not_asked_about_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tree, file = tmp_path / "runs", tmp_path / "r.jsonl"
    lines = [f"step {at}: loss {2.0 - at / 300:.4f} lr 0.001" for at in range(300)]
    (tree / "run" / "messages").mkdir(parents=True)
    (tree / "run" / "train.log").write_text("\n".join(lines) + "\n")
    (tree / "run" / "messages" / "more.log").write_text(
        "CUDA out of memory. Tried to allocate 2.00 GiB\n"
    )
    first = scanned(tree, file)
    assert [(one.path, one.folders) for one in first.records] == [("run", ("run", "run/messages"))]
    monkeypatch.setattr(Reading, "read", None)
    assert scanned(tree, file).fresh == []


@pytest.mark.parametrize("is_mixed", [False, True])
def test_ranks_in_folders_of_their_own_are_one_run(tmp_path: Path, is_mixed: bool) -> None:
    for rank in range(3):
        fleets.write_run(tmp_path / "run" / f"rank_{rank}", rank)
    if is_mixed:
        write_mixed(tmp_path / "others")
    records = [one for one in scanned(tmp_path).records if one.path.startswith("run/")]
    assert [one.folders for one in records] == [tuple(f"run/rank_{rank}" for rank in range(3))]
    assert records[0].run.endswith("/run")


def results(harvest: Harvest) -> set[tuple[str, str, State, int]]:
    return {(one.path, one.run, one.status, one.points) for one in harvest.records}


def test_a_remote_store(tmp_path: Path) -> None:
    tree, file = fleets.write_tree(tmp_path / "runs"), tmp_path / "r.jsonl"
    fs = fsspec.filesystem("memory")
    fs.put(str(tree), "/fleet-scan", recursive=True)
    first = scanned("memory://fleet-scan", file)
    assert results(first) == results(scanned(tree))
    assert {one.root for one in first.records} == {"memory://fleet-scan"}
    assert scanned("memory://fleet-scan", file).fresh == []
    assert scanned("memory://nothing-there").failures


@pytest.mark.filterwarnings("ignore")  # of the packages that imitate the store
def test_a_bucket(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("s3fs").S3FileSystem.clear_instance_cache()  # of a server before
    moto = pytest.importorskip("moto.server")
    tree, file = fleets.write_tree(tmp_path / "runs"), tmp_path / "r.jsonl"
    server = moto.ThreadedMotoServer(ip_address="127.0.0.1", port=0)
    server.start()
    try:
        host, port = server.get_host_and_port()
        monkeypatch.setenv("AWS_ENDPOINT_URL", f"http://{host}:{port}")
        monkeypatch.setenv("AWS_DEFAULT_REGION", "us-east-1")
        for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
            monkeypatch.setenv(name, "any")
        fs = fsspec.filesystem("s3")
        fs.mkdir("fleet")
        fs.put(str(tree), "fleet/runs", recursive=True)
        first = scanned("s3://fleet/runs", file)
        assert results(first) == results(scanned(tree))
        assert {one.seconds > 0 for one in first.records} == {True}
        log = tree / "p0" / "run0" / "metrics.csv"
        fs.put_file(str(log), "fleet/runs/p0/run0/metrics.csv")  # the same once more
        fs.invalidate_cache()
        assert scanned("s3://fleet/runs", file).fresh == []
        fs.pipe_file("fleet/runs/p0/run0/metrics.csv", log.read_bytes() + b"300,0.5,0.001\n")
        fs.invalidate_cache()
        assert [one.path for one in scanned("s3://fleet/runs", file).fresh] == ["p0/run0"]
    finally:
        server.stop()


def test_batches_get_small_towards_the_end(tmp_path: Path) -> None:
    sizes: list[int] = []

    class Counting(SerialEngine):
        slots = 2

        def submit(self, ticket: int, work: Work, items: Sequence[Any]) -> None:
            sizes.append(len(items))
            super().submit(ticket, work, items)

    tree, store = fleets.write_tree(tmp_path, runs=40), open_store(None)
    scan(Wish((str(tree),), METHOD), _Forgetful(store), Counting(), Harvest(), lambda _: None)
    assert sum(sizes) == 40
    assert sizes == sorted(sizes, reverse=True)
    assert sizes[0] > sizes[-1] == 1


class _Forgetful:
    """A store like any other, to show that the scan needs no more than its three methods."""

    def __init__(self, store: Store) -> None:
        self.store = store

    def load(self) -> list[Record]:
        return self.store.load()

    def add(self, records: Sequence[Record]) -> None:
        self.store.add(records)

    def close(self) -> None:
        self.store.close()
