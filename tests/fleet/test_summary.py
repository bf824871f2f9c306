from __future__ import annotations

import math
from dataclasses import replace

import fleets

from spikedoc.fleet.record import Blamed, State
from spikedoc.fleet.summary import CauseCount, label, summarise, week

RECORDS = [
    fleets.record("vision/a", State.CRITICAL, last_time=1_709_000_000.0, points=10, bytes=100),
    fleets.record("vision/b", State.WARNING, modified=1_709_000_000.0),
    fleets.record("speech/c", State.HEALTHY, last_time=1_710_000_000.0),
    fleets.record("speech/d", State.UNKNOWN),
    fleets.record("speech/e", State.UNREADABLE, error="damaged"),
    fleets.record("speech/f", State.FAILED, error="died"),
    fleets.record("speech/g", State.NO_RUN),
]


def test_counts() -> None:
    summary = summarise(RECORDS)
    assert summary.runs == 4
    assert all(summary.counts[state] == 1 for state in State)
    assert (summary.points, summary.bytes) == (10, 100)
    assert [one.path for one in summary.ill] == ["vision/a", "vision/b"]
    assert [one.path for one in summary.broken] == ["speech/e", "speech/f"]


def test_causes_are_those_of_runs_that_need_a_look() -> None:
    healthy = fleets.record("x", causes=(Blamed("SD902", "benign-noise", 0.9),))
    nameless = [fleets.record(name, State.WARNING, causes=()) for name in "uvw"]
    summary = summarise([*RECORDS, healthy, *nameless])
    assert summary.causes == (
        CauseCount("SD401", "fp16-overflow", 2, ("vision/a", "vision/b")),
        CauseCount("", "", 3, ("u", "v", "w")),
    )


def test_projects_with_the_gravest_first() -> None:
    summary = summarise(RECORDS)
    assert [(group.name, group.runs) for group in summary.projects] == [
        ("vision", 2),
        ("speech", 2),
    ]
    assert summary.projects[0].counts[State.CRITICAL] == 1


def test_projects_of_several_roots_are_told_apart() -> None:
    two = [fleets.record("p/a"), fleets.record("p/a", root="/other/")]
    assert {group.name for group in summarise(two).projects} == {"runs/p", "/other/p"}


def test_weeks_are_iso_weeks_the_newest_first() -> None:
    summary = summarise(RECORDS)
    assert [group.name for group in summary.weeks] == ["2024-W10", "2024-W09", ""]
    assert week(fleets.record(last_time=1_704_000_000.0)) == "2023-W52"
    for broken in (math.inf, math.nan, 1e300, -1e12, 0.0, None):
        assert week(fleets.record(last_time=broken)) == ""


def test_runs_of_one_place_are_told_apart() -> None:
    assert label(fleets.record("a")) == "a"
    assert label(fleets.record("a", run="x.csv", part=1, parts=2)) == "a: x.csv"


def test_a_root_that_is_a_run_goes_by_its_own_name() -> None:
    here = [replace(fleets.record("."), root=root) for root in ("runs/good", "runs/new/")]
    assert [label(one) for one in here] == ["good", "new"]
    assert label(replace(here[0], root=".", run="train.csv")) == "train.csv"
    found = summarise([*here, replace(fleets.record("x/y"), root="other")])
    assert {group.name for group in found.projects} == {"runs/good", "runs/new", "other/x"}


def test_a_place_of_several_runs_counts_its_bytes_once() -> None:
    two = [fleets.record("a", part=part, parts=2, bytes=5) for part in (1, 2)]
    assert summarise(two).bytes == 5


def test_nothing() -> None:
    summary = summarise([])
    assert (summary.runs, summary.causes, summary.weeks) == (0, (), ())
