"""What a record keeps of the spikes of a run."""

from __future__ import annotations

import json

import fleets
import pytest

from spikedoc.fleet.record import from_line, to_line
from spikedoc.fleet.traces import MOST_SPIKES, kept, trace_from

TRACE = fleets.trace(1, 700, 900, epoch=500.5, batch_size=8, unshuffled=True, seeds={"seed": 3})


def test_a_trace_comes_back_from_a_line() -> None:
    record = fleets.record(spikes=TRACE)
    assert from_line(to_line(record)) == record
    assert from_line(to_line(fleets.record())) == fleets.record()


def test_a_run_without_spikes_keeps_nothing() -> None:
    assert kept(None) is None
    assert kept(fleets.trace(1)) is None
    assert trace_from(None) is None


def test_a_record_stays_small() -> None:
    many = kept(fleets.trace(1, *range(100, 3000)))
    assert many is not None
    assert (len(many.steps), len(many.heads), many.count) == (MOST_SPIKES, MOST_SPIKES, 2900)
    line = to_line(fleets.record(spikes=many))
    assert len(line) < 1_500


def test_steps_that_are_times_are_not_kept() -> None:
    assert kept(fleets.trace(1, 700, last=1_700_000_000_000_000_000)) is None


@pytest.mark.parametrize(
    "change",
    [{"steps": None}, {"steps": [700, "900"]}, {"steps": [900, 700]}, {"steps": [700, 700]},
     {"steps": [700]}, {"steps": [700, 10**16]}, {"steps": [700, 9000]}, {"steps": [-5, 700]},
     {"steps": [True, 700]}, {"heads": [1, 2]}, {"heads": ["a", "b" * 1000]}, {"count": 1},
     {"count": None}, {"first": "0"}, {"last": 1e3}, {"width": 0}, {"width": None},
     {"width": 1e300}, {"epoch": -1}, {"epoch": "500"}, {"batch_size": 0}, {"batch_size": 1.5},
     {"accumulation": True}, {"unshuffled": 1}, {"seeds": [3]}, {"seeds": {"lr": 3}},
     {"seeds": {"seed": "3"}}, {"seeds": {"seed": 2**70}}, {"digest": None}, {"digest": "x" * 99},
     {"steps": list(range(100, 200)), "heads": ["a"] * 100, "count": 100}],
)  # fmt: skip
def test_a_trace_of_wrong_values_makes_no_record(change: dict[str, object]) -> None:
    values = json.loads(to_line(fleets.record(spikes=TRACE)))
    values["spikes"] |= change
    assert from_line(json.dumps(values)) is None


@pytest.mark.parametrize("spikes", [1, [], "x", {}, {"steps": []}])
def test_what_is_no_trace_makes_no_record(spikes: object) -> None:
    values = json.loads(to_line(fleets.record())) | {"spikes": spikes}
    assert from_line(json.dumps(values)) is None


def test_a_key_of_a_later_version_is_passed_over() -> None:
    values = json.loads(to_line(fleets.record(spikes=TRACE)))
    values["spikes"]["later"] = 1
    assert from_line(json.dumps(values)) == fleets.record(spikes=TRACE)
