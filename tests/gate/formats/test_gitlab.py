"""The code quality report."""

from __future__ import annotations

import json
import re
from dataclasses import replace

from verdict_factory import FAILED, HOSTILE, KNOWN, PASSED, UNKNOWN, check, render, verdict

from spikedoc.gate.verdict import Outcome


def test_what_gitlab_asks_for() -> None:
    (issue,) = json.loads(render("gitlab", FAILED, KNOWN, PASSED))
    assert issue["check_name"] == "spikedoc/nonfinite/persistent"
    assert issue["severity"] == "critical"
    assert issue["location"]["lines"]["begin"] == 1
    assert not issue["location"]["path"].startswith(("/", "./"))


def test_the_keys_that_gitlab_documents() -> None:
    """Severity is one of five words, lines begin at 1, no key beyond the table."""
    written = json.loads(render("gitlab", FAILED, UNKNOWN, verdict(check(Outcome.FAILED, HOSTILE))))
    assert len(written) == 3
    for issue in written:
        assert set(issue) == {"description", "check_name", "fingerprint", "severity", "location"}
        assert issue["severity"] in {"info", "minor", "major", "critical", "blocker"}
        assert set(issue["location"]) == {"path", "lines"}
        assert issue["location"]["lines"]["begin"] >= 1
        assert all(isinstance(issue[key], str) for key in ("description", "check_name"))
        assert re.fullmatch(r"[0-9a-f]{32,64}", issue["fingerprint"])


def test_fingerprints_are_unique_and_steady() -> None:
    both = verdict(check(Outcome.FAILED), check(Outcome.FAILED))
    found = [issue["fingerprint"] for issue in json.loads(render("gitlab", both, UNKNOWN))]
    assert len(set(found)) == 3
    assert found == [i["fingerprint"] for i in json.loads(render("gitlab", both, UNKNOWN))]


def test_the_line_of_the_log() -> None:
    one = replace(check(Outcome.FAILED), log="logs/b.csv", line=7)
    (issue,) = json.loads(render("gitlab", verdict(one)))
    assert issue["location"] == {"path": "logs/b.csv", "lines": {"begin": 7}}
