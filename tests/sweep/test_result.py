from __future__ import annotations

from spikedoc.model.label import Status
from spikedoc.sweep.result import Member, Outcome, Value


def test_how_many_runs_ended_as_the_value_says() -> None:
    members = tuple(
        Member(str(i), "p", 0.1, i, Status.HEALTHY, outcome)
        for i, outcome in enumerate((Outcome.DIVERGING, Outcome.STEADY, Outcome.DIVERGING))
    )
    assert Value(0.1, Outcome.DIVERGING, members).agreeing == 2
