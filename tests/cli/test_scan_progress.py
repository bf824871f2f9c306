from __future__ import annotations

import sys

import pytest

from spikedoc.cli import scan_progress
from spikedoc.cli.scan_progress import LongScan, clock, line
from spikedoc.fleet.scan import Harvest


def test_a_line_tells_rate_and_time_left() -> None:
    told = line(100, 400, 50.0)
    assert told.en == "100 of 400 places, 2/s, about 0:02:30 left"
    assert told.zh == "100/400 处，2/s，约剩 0:02:30"
    assert line(0, 400, 50.0).en == "0 of 400 places, 0/s"
    assert clock(3_723.4) == "1:02:03"


def test_in_the_log_of_a_job_there_is_a_line_now_and_then(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    times = iter([0.0, 0.0, 1.0, 40.0, 50.0, 80.0, 81.0])
    monkeypatch.setattr(scan_progress.time, "monotonic", lambda: next(times))
    with LongScan(enabled=True) as watch:
        for done in (1, 2, 3, 4):
            watch(Harvest(places=10, done=done))
    told = capsys.readouterr().err.splitlines()
    assert [text.split(",")[0] for text in told] == [
        "spikedoc: 2 of 10 places",
        "spikedoc: 4 of 10 places",
    ]
    assert watch.seconds == 81.0


def test_quiet_is_quiet(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(scan_progress, "LINE_SECONDS", 0.0)
    monkeypatch.setattr(scan_progress, "PATIENCE_SECONDS", 0.0)
    with LongScan(enabled=False) as watch:
        watch(Harvest())
    assert capsys.readouterr().err == ""


def test_on_a_terminal_there_is_a_bar(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scan_progress, "PATIENCE_SECONDS", 0.0)
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    with LongScan(enabled=True) as watch:
        watch(Harvest(places=0))
        watch(Harvest(places=10, done=4))
        assert watch._bar is not None
        (task,) = watch._bar.tasks
        assert (task.completed, task.total) == (4, 10)
        assert task.fields["rate"].endswith("/s")
    assert watch._bar is None
