from __future__ import annotations

from pathlib import Path

import fleets
import fsspec
import pytest

from spikedoc.errors import InputError
from spikedoc.fleet.engines.serial import SerialEngine
from spikedoc.fleet.places import Places, Sought, tasks_at
from spikedoc.fleet.record import State
from spikedoc.fleet.task import Method

METHOD = Method(may_exit=False)


def found(root: Path | str, sought: Sought | None = None) -> Places:
    return tasks_at(str(root), sought or Sought(METHOD), SerialEngine())


def test_paths_are_below_the_root(tmp_path: Path) -> None:
    fleets.write_tree(tmp_path)
    tasks = [make() for make in found(tmp_path).tasks]
    assert [task.path for task in tasks] == ["p0/run0", "p0/run2", "p1/run1", "p1/run3"]
    assert len({task.key for task in tasks}) == 4


def test_overlapping_roots_count_once(tmp_path: Path) -> None:
    fleets.write_tree(tmp_path)
    sought = Sought(METHOD)
    assert len(found(tmp_path / "p0", sought).tasks) == 2
    assert len(found(tmp_path, sought).tasks) == 2
    assert not found(tmp_path, sought).tasks


def test_a_log_beyond_recognition_is_a_record(tmp_path: Path) -> None:
    fleets.write_run(tmp_path / "a")
    (tmp_path / "b").mkdir()
    (tmp_path / "b/events.out.tfevents.1.host").write_bytes(b"")
    (record,) = found(tmp_path).unreadable
    assert record.status is State.UNREADABLE
    assert record.path == "b/events.out.tfevents.1.host"
    assert found(tmp_path).unreadable[0].key == record.key


def test_a_file_as_a_root(tmp_path: Path) -> None:
    log = fleets.write_run(tmp_path / "a")
    (make,) = found(log).tasks
    assert make().path == "a"


def test_a_remote_store_is_a_place_per_run() -> None:
    fs = fsspec.filesystem("memory")
    for name in ("p/a/metrics.csv", "p/a/sub/metrics.csv", "p/b/metrics.csv", "p/b/model.pt"):
        fs.pipe(f"/fleet-places/{name}", b"step,loss\n1,2\n")
    sought = Sought(METHOD)
    tasks = [make() for make in found("memory://fleet-places", sought).tasks]
    assert [(task.path, task.size) for task in tasks] == [("p/a", 28), ("p/b", 14)]
    fs.pipe("/fleet-places/p/b/metrics.csv", b"step,loss\n1,2\n2,1\n")
    again = [make() for make in found("memory://fleet-places", sought).tasks]
    assert again[0].key == tasks[0].key
    assert again[1].key != tasks[1].key


def test_a_root_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(InputError):
        found(tmp_path / "nothing")
