"""One strict object."""

from __future__ import annotations

import json

from verdict_factory import FAILED, PASSED, render


def test_json() -> None:
    found = json.loads(render("json", FAILED, PASSED))
    assert (found["schema"], found["passed"]) == ("spikedoc-check/1", False)
    assert [run["passed"] for run in found["runs"]] == [False, True]
    assert found["runs"][0]["checks"][0] == {
        "id": "nonfinite/persistent",
        "outcome": "failed",
        "severity": "critical",
        "signal": "loss",
        "step": 120,
        "fingerprint": "0123",
        "message": {"en": "it broke", "zh": "it broke。"},
    }
