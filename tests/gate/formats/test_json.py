"""One strict object."""

from __future__ import annotations

import json
from importlib import resources

import jsonschema
import pytest
from verdict_factory import FAILED, HOSTILE, KNOWN, PASSED, UNKNOWN, check, render, verdict

from spikedoc.gate.verdict import Outcome


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
        "title": {"en": "NaN that stays", "zh": "NaN"},
        "fingerprint": "0123",
        "message": {"en": "it broke", "zh": "it broke。"},
    }


HOSTILE_RUN = verdict(check(Outcome.FAILED, HOSTILE, HOSTILE), run=HOSTILE)


@pytest.mark.parametrize("name", ["json", "jsonl"])
def test_the_published_schema(name: str) -> None:
    schema = json.loads((resources.files("spikedoc.gate") / "check.schema.json").read_text("utf-8"))
    validator = jsonschema.Draft202012Validator(schema)
    out = render(name, FAILED, PASSED, KNOWN, UNKNOWN, HOSTILE_RUN)
    assert out.isascii()
    for one in [out] if name == "json" else out.splitlines():
        validator.validate(json.loads(one))
    with pytest.raises(jsonschema.ValidationError):
        validator.validate({"schema": "spikedoc-check/1", "passed": True})
