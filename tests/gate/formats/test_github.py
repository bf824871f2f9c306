"""Annotations within the limits of GitHub."""

from __future__ import annotations

import re
from dataclasses import replace

from verdict_factory import FAILED, HOSTILE, PASSED, check, render, verdict

from spikedoc.gate.verdict import Outcome


def test_one_command_per_failure() -> None:
    out = render("github", FAILED, PASSED)
    assert out == "::error file=logs/a.csv,title=nightly%3A NaN that stays::it broke\n"


def test_the_line_of_the_log() -> None:
    one = replace(check(Outcome.FAILED), log="logs/b.csv", line=7)
    out = render("github", verdict(one))
    assert out.startswith("::error file=logs/b.csv,line=7,title=")


def test_no_more_than_ten_and_the_tenth_says_so() -> None:
    many = verdict(*[check(Outcome.FAILED)] * 25, *[check(Outcome.WARNED)] * 10)
    lines = render("github", many).splitlines()
    errors = [line for line in lines if line.startswith("::error ")]
    assert len(errors) == 10
    assert errors[-1].endswith("16 more in the summary of the job")
    assert sum(line.startswith("::notice ") for line in lines) == 10


def test_a_name_cannot_begin_a_command() -> None:
    hostile = verdict(check(Outcome.FAILED, HOSTILE), run=HOSTILE)
    lines = render("github", hostile).splitlines()
    assert [line[:8] for line in lines] == ["::error "]
    properties = lines[0].removeprefix("::error ").partition("::")[0]
    assert len(re.split("[,]", properties)) == 2
