"""JUnit XML for GitLab, Jenkins and others: a test case per check, passed ones too."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from spikedoc.gate._plain import line
from spikedoc.gate.formats.base import Format, Options
from spikedoc.gate.formats.text import UNJUDGED
from spikedoc.gate.verdict import Check, Outcome, Verdict
from spikedoc.text import Language

DECLARATION: Final = '<?xml version="1.0" encoding="UTF-8"?>\n'

if TYPE_CHECKING:
    from junitparser import TestCase, TestSuite


def render(verdicts: Sequence[Verdict], options: Options) -> str:
    """Return the document: one suite per run; a run that could not be judged is an error."""
    from junitparser import JUnitXml

    document = JUnitXml("spikedoc")
    names: dict[str, int] = {}
    for verdict in verdicts:
        name = line(verdict.run)
        number = names[name] = names.get(name, 0) + 1
        # Suites of one name would be merged into one.
        shown = name if number == 1 else f"{name} ({number})"
        document.add_testsuite(_suite(verdict, shown, options.language))
    content: bytes = document.tostring()  # type: ignore[no-untyped-call]
    return f"{DECLARATION}{content.decode('utf-8')}\n"


def _suite(verdict: Verdict, name: str, language: Language) -> TestSuite:
    from junitparser import Error, TestCase, TestSuite

    suite = TestSuite(f"spikedoc.{name}")
    numbers: dict[str, int] = {}
    for check in verdict.checks:
        # GitLab ignores a second case of the same name.
        number = numbers[check.id] = numbers.get(check.id, 0) + 1
        label = line(check.id) if number == 1 else f"{line(check.id)} ({number})"
        suite.add_testcase(_case(check, f"spikedoc.{name}", label, language))
    if verdict.is_unjudged:
        case = TestCase("judged", f"spikedoc.{name}")
        case.result = [Error(UNJUDGED.get(language), "unknown")]
        suite.add_testcase(case)
    return suite


def _case(check: Check, group: str, label: str, language: Language) -> TestCase:
    from junitparser import Failure, Skipped, TestCase

    case = TestCase(label, group)
    said = line(check.message.get(language))
    if check.outcome is Outcome.FAILED:
        case.result = [Failure(said, check.severity.value)]
    elif check.outcome is Outcome.KNOWN:
        case.result = [Skipped(said)]
    elif check.outcome is Outcome.WARNED:
        case.system_out = said
    return case


FORMAT: Final[Format] = render
