"""When a run passes."""

from __future__ import annotations

from dataclasses import replace

import pytest
from verdict_factory import check, verdict

from spikedoc.gate.verdict import Outcome
from spikedoc.model.label import Status


@pytest.mark.parametrize(
    ("outcome", "passed"),
    [
        (Outcome.PASSED, True),
        (Outcome.WARNED, True),
        (Outcome.KNOWN, True),
        (Outcome.FAILED, False),
    ],
)
def test_only_a_failed_check_stands_against_a_run(outcome: Outcome, passed: bool) -> None:
    found = verdict(check(Outcome.PASSED), check(outcome))
    assert found.passed is passed
    assert bool(found.failures) is not passed


def test_what_cannot_be_judged_does_not_pass_unless_allowed() -> None:
    unknown = verdict(status=Status.UNKNOWN)
    assert (unknown.is_unjudged, unknown.passed) == (True, False)
    allowed = replace(unknown, allow_unknown=True)
    assert (allowed.is_unjudged, allowed.passed) == (False, True)
