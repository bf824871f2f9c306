"""XML that Jenkins and GitLab take."""

from __future__ import annotations

from xml.etree import ElementTree as ET

from verdict_factory import FAILED, HOSTILE, KNOWN, UNKNOWN, check, render, verdict

from spikedoc.gate.verdict import Outcome, Verdict


def found_cases(*verdicts: Verdict) -> dict[str, ET.Element]:
    root = ET.fromstring(render("junit", *verdicts).encode())
    assert root.tag == "testsuites"
    return {str(case.get("name")): case for case in root.iter("testcase")}


def test_failed_known_and_passed() -> None:
    cases = found_cases(FAILED)
    failure = cases["nonfinite/persistent"].find("failure")
    assert failure is not None
    assert (failure.get("message"), failure.get("type")) == ("it broke", "critical")
    assert list(cases["oscillation"]) == []
    assert found_cases(KNOWN)["nonfinite/persistent"].find("skipped") is not None


def test_counts() -> None:
    root = ET.fromstring(render("junit", FAILED, UNKNOWN).encode())
    suites = [(s.get("tests"), s.get("failures"), s.get("errors")) for s in root]
    assert suites == [("2", "1", "0"), ("1", "0", "1")]


def test_two_of_one_label_are_two_found_cases() -> None:
    found = found_cases(verdict(check(Outcome.FAILED), check(Outcome.FAILED)))
    assert list(found) == ["nonfinite/persistent", "nonfinite/persistent (2)"]


def test_attributes_that_jenkins_takes() -> None:
    for case in found_cases(FAILED, KNOWN, UNKNOWN).values():
        assert set(case.attrib) <= {"name", "classname", "time"}


def test_anything_in_a_name_is_still_xml() -> None:
    hostile = verdict(check(Outcome.FAILED, HOSTILE), run=HOSTILE)
    (case,) = found_cases(hostile).values()
    assert "<b>" in str(case.get("classname"))
