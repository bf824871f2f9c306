"""The table on the page of a job."""

from __future__ import annotations

from verdict_factory import FAILED, HOSTILE, KNOWN, PASSED, check, verdict

from spikedoc.gate.summary import markdown
from spikedoc.gate.verdict import Outcome
from spikedoc.text import Language


def test_the_summary_of_a_job() -> None:
    table = markdown([FAILED, PASSED], Language.EN)
    assert "| nightly | **FAIL** | it broke |" in table
    assert "| nightly | ok | Lost. |" in table
    hostile = markdown([verdict(check(Outcome.FAILED, HOSTILE), run=HOSTILE)], Language.EN)
    assert "<b>" not in hostile
    assert hostile.count("\n") == markdown([KNOWN], Language.EN).count("\n")
    many = markdown([verdict(*[check(Outcome.FAILED)] * 500)], Language.EN)
    assert "300 more rows were left out." in many
