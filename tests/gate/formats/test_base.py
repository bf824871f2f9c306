"""What every output holds to: no control codes, no failure on nothing."""

from __future__ import annotations

import pkgutil

import pytest
from verdict_factory import EN, HOSTILE, PASSED, UNKNOWN, ZH, check, render, verdict

import spikedoc.gate.formats
from spikedoc.gate.formats.base import Options
from spikedoc.gate.verdict import Outcome

NAMES = sorted(
    info.name
    for info in pkgutil.iter_modules(spikedoc.gate.formats.__path__)
    if info.name != "base"
)


def test_the_outputs_that_are_promised() -> None:
    assert NAMES == ["github", "gitlab", "json", "jsonl", "junit", "sarif", "text"]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("options", [EN, ZH])
def test_nothing_in_any_output_acts(name: str, options: Options) -> None:
    hostile = verdict(check(Outcome.FAILED, HOSTILE), check(Outcome.WARNED, HOSTILE), run=HOSTILE)
    out = render(name, hostile, UNKNOWN, PASSED, options=options)
    assert not set(out) & set("\x1b\x00\u202e\ufffe")
    out.encode("utf-8")


@pytest.mark.parametrize("name", NAMES)
def test_no_runs(name: str) -> None:
    render(name)


@pytest.mark.parametrize("name", NAMES)
def test_the_name_of_a_check_does_not_act_either(name: str) -> None:
    hostile = verdict(check(Outcome.FAILED, name=HOSTILE), run="::error::x")
    out = render(name, hostile)
    assert not set(out) & set("\x1b\x00\u202e\ufffe")
    begins = [line for line in out.splitlines() if line.lstrip().startswith("::")]
    assert len(begins) == (1 if name == "github" else 0)
