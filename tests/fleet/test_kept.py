"""Which records count."""

from __future__ import annotations

import gc

import fleets

from spikedoc.fleet.kept import finished, newest, without_collection
from spikedoc.fleet.record import State

A, B = fleets.record("a", points=1), fleets.record("b", State.CRITICAL)


def test_places_are_finished_when_all_their_runs_are_there() -> None:
    two = [fleets.record("a", part=part, parts=2) for part in (1, 2)]
    assert finished([*two, B]) == {A.key: tuple(two), B.key: (B,)}
    assert finished(two[:1]) == {}
    assert finished(two[1:]) == {}


def test_fewer_runs_than_before_leave_nothing_behind() -> None:
    three = [fleets.record("a", part=part, parts=3) for part in (1, 2, 3)]
    one = fleets.record("a", key="new")
    assert newest([*three, B, one]) == [one, B]


def test_a_place_said_to_have_very_many_runs_is_not_finished() -> None:
    assert finished([fleets.record("a", parts=10**15)]) == {}


def test_the_search_for_cycles_goes_on_afterwards() -> None:
    with without_collection():
        assert not gc.isenabled()
        with without_collection():
            assert not gc.isenabled()
        assert not gc.isenabled()
    assert gc.isenabled()
