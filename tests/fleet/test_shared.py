"""Places that several runs of a project spike at."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import fleets
import numpy as np
import pytest

import spikedoc.coincidence.sets
from spikedoc.fleet.record import Record, from_line, to_line
from spikedoc.fleet.shared import Shared, shared_places
from spikedoc.fleet.summary import label

LAST = 4000


def shared(records: Sequence[Record]) -> tuple[Shared, ...]:
    return shared_places(records, lambda one: one.project, label)


def run(number: int, *steps: int, project: str = "p", **more: object) -> Record:
    trace = fleets.trace(number, *steps, seeds={"seed": 1}, **more) if steps else None
    return fleets.record(f"{project}/run{number}", first_step=0, last_step=LAST, spikes=trace)


def bad_batch(project: str = "p") -> list[Record]:
    spiky = [run(n, 777, project=project) for n in range(3)]
    return [*spiky, *(run(n, project=project) for n in range(3, 8))]


def test_three_of_eight_runs_share_a_bad_batch() -> None:
    (found,) = shared(bad_batch())
    assert (found.project, found.place.first, found.place.among) == ("p", 777, 8)
    assert found.place.runs == ("p/run0", "p/run1", "p/run2")
    assert found.place.points_to_data


def test_runs_of_other_projects_and_roots_do_not_count() -> None:
    apart = [run(n, 777, project=f"p{n}") for n in range(3)]
    assert shared(apart) == ()
    roots = [replace(one, root=f"root{n}") for n, one in enumerate(bad_batch()[:3])]
    assert shared_places(roots, lambda one: f"{one.root}/{one.project}", label) == ()


def test_copies_count_once() -> None:
    one = run(0, 777)
    copies = [replace(one, path=f"p/copy{n}") for n in range(5)]
    assert shared(copies) == ()


def test_fewer_than_two_runs_with_spikes_say_nothing() -> None:
    assert shared([]) == ()
    assert shared([run(0, 777), run(1), run(2)]) == ()


def test_an_old_store_loads_and_says_nothing() -> None:
    lines = [to_line(one) for one in bad_batch()]
    old = [line[: line.index(',"spikes":')] + line[line.index(',"seconds":') :] for line in lines]
    records = [record for line in old if (record := from_line(line)) is not None]
    assert len(records) == 8
    assert shared(records) == ()


def test_unrelated_runs_of_200_projects_are_hardly_ever_named() -> None:
    """Each project alone keeps the promise of one in a hundred; all together do."""
    rng = np.random.default_rng(21)
    records: list[Record] = []
    alone = 0
    for project in range(200):
        group = [
            run(
                8 * project + n,
                *sorted({*rng.integers(90, LAST, 4).tolist()}),
                project=f"{project}",
            )
            for n in range(8)
        ]
        alone += bool(shared(group))
        records += group
    assert alone <= 2
    assert shared(records) == ()
    (found,) = shared([*records, *bad_batch("bad")])
    assert (found.project, found.place.first) == ("bad", 777)


def test_large_projects_are_weighed_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spikedoc.coincidence.sets, "MOST_TOGETHER", 4)
    found = shared([run(n, *([777] if n % 2 else [])) for n in range(20)])
    assert [(len(one.place.runs), one.place.first) for one in found] == [(4, 777), (4, 777)]
