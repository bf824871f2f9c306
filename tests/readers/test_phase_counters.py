"""Whether rows of 0 and rows of 1 stand at the same steps."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from spikedoc.readers._phase_counters import SharedSteps


def shared(**counters: tuple[Sequence[object], Sequence[object]]) -> bool:
    found = SharedSteps()
    for place in (0, 1):
        cells = {name: both[place] for name, both in counters.items()}
        count = len(next(iter(cells.values())))
        found.see(range(count), [bool(place)] * count, cells)
    return found.are_shared()


@pytest.mark.parametrize(
    ("no", "yes", "expected"),
    [
        ([0, 1, 2, 3], [0, 1, 2, 3], True),
        (["0", "1", "2", "3"], ["1", "2", "3", "x"], True),  # texts, one of them no number
        (list(range(100)), [9, 19, 29], True),  # fewer evaluations
        ([0, 1, 2], [2, 3, 4], False),  # two stages that meet
        ([0, 2, 4, 6], [1, 3, 5, 7], False),  # in turns
        ([0, 1], [0, 1], False),  # too few to tell
        ([None, 0, 1, 2], [0, 1, 2, float("nan")], True),
        ([], [0, 1, 2], False),
    ],
)
def test_one_counter(no: Sequence[object], yes: Sequence[object], expected: bool) -> None:
    assert shared(step=(no, yes)) is expected


def test_no_counter_may_speak_against_it() -> None:
    batches = (range(9), range(9))
    assert shared(batch=batches, epoch=([1] * 4 + [2] * 5, [1] * 4 + [2] * 5))
    assert not shared(batch=batches, epoch=([1] * 9, [2] * 9))
