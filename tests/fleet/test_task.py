from __future__ import annotations

import pickle
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import fleets
import pytest

import spikedoc.pipeline
from spikedoc.errors import CatalogError
from spikedoc.fleet.engines.serial import SerialEngine
from spikedoc.fleet.places import Sought, tasks_at
from spikedoc.fleet.record import State
from spikedoc.fleet.task import Method, Pages, Task, diagnose_place, page_name, wants_page
from spikedoc.pipeline import analyze_all

QUIET = Method(may_exit=False)


def task_at(root: Path) -> Task:
    (make,) = tasks_at(str(root), Sought(QUIET), SerialEngine()).tasks
    return make()


def test_a_task_goes_through_pickle_and_gives_the_same(tmp_path: Path) -> None:
    fleets.write_run(tmp_path / "a", nan_at=200)
    task = task_at(tmp_path)
    assert diagnose_place(pickle.loads(pickle.dumps(task)), QUIET) == diagnose_place(task, QUIET)


def test_a_record_says_what_the_report_says(tmp_path: Path) -> None:
    fleets.write_run(tmp_path / "a", nan_at=200)
    (record,) = diagnose_place(task_at(tmp_path), QUIET).records
    (report,) = analyze_all(tmp_path)
    assert record.status.value == report.status.value == "critical"
    assert record.run == report.run.name
    assert record.findings[0].kind == report.findings[0].anomaly.kind.value
    assert record.path == "a"
    assert record.bytes == (tmp_path / "a/metrics.csv").stat().st_size
    assert record.seconds > 0


def test_pages_for_those_that_want_one(tmp_path: Path) -> None:
    fleets.write_run(tmp_path / "a", nan_at=200)
    task = task_at(tmp_path)
    outcome = diagnose_place(task, replace(QUIET, pages=Pages.FINDINGS))
    name = page_name(task.key, 1)
    assert list(outcome.pages) == [name] == [outcome.records[0].report]
    assert outcome.pages[name].startswith("<!DOCTYPE html>")
    healthy = fleets.record()
    assert not wants_page(healthy, Pages.FINDINGS)
    assert wants_page(healthy, Pages.ALL)
    assert not wants_page(fleets.record(status=State.CRITICAL), Pages.NONE)


@pytest.mark.parametrize(
    ("error", "told"),
    [(ZeroDivisionError("boom"), "ZeroDivisionError: boom"), (MemoryError(), "MemoryError")],
)
def test_a_crash_is_a_record(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: Exception, told: str
) -> None:
    fleets.write_run(tmp_path / "a")

    def crash(*_: Any, **__: Any) -> None:
        raise error

    monkeypatch.setattr(spikedoc.pipeline, "diagnose", crash)
    (record,) = diagnose_place(task_at(tmp_path), QUIET).records
    assert record.status is State.FAILED
    assert record.error is not None
    assert told in record.error


def test_a_run_that_hangs_is_given_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fleets.write_run(tmp_path / "a")

    def hang(*_: Any, **__: Any) -> None:
        until = time.monotonic() + 30
        while time.monotonic() < until:
            pass

    monkeypatch.setattr(spikedoc.pipeline, "diagnose", hang)
    (record,) = diagnose_place(task_at(tmp_path), replace(QUIET, timeout=0.2)).records
    assert record.status is State.FAILED
    assert record.error == "not done within 0.2 s"


def test_a_damaged_log_and_a_table_of_something_else(tmp_path: Path) -> None:
    log = fleets.write_run(tmp_path / "a")
    task = task_at(tmp_path)
    log.write_bytes(b"step,loss\n")
    (record,) = diagnose_place(task, QUIET).records
    assert record.status is State.UNREADABLE
    assert record.error
    log.write_text("x,y\n" + "\n".join(f"{n},{n * n}" for n in range(50)))
    (record,) = diagnose_place(task, QUIET).records
    assert record.status is State.NO_RUN


def test_a_wrong_rule_file_is_no_fault_of_the_run(tmp_path: Path) -> None:
    fleets.write_run(tmp_path / "runs/a", nan_at=200)
    rules = tmp_path / "rules"
    rules.mkdir()
    (rules / "SD999-bad.toml").write_text("no = rule")
    with pytest.raises(CatalogError):
        diagnose_place(task_at(tmp_path / "runs"), replace(QUIET, rules=rules))
