"""GitLab's code quality report: a list of issues with a path and a fingerprint."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from typing import Any, Final

from spikedoc.gate._plain import line, relative
from spikedoc.gate.formats.base import Format, Options
from spikedoc.gate.formats.text import UNJUDGED
from spikedoc.gate.verdict import Check, Outcome, Verdict
from spikedoc.model.label import Severity
from spikedoc.text import Language

SEVERITIES: Final = {
    Severity.CRITICAL: "critical",
    Severity.WARNING: "major",
    Severity.INFO: "info",
}
SHOWN: Final = (Outcome.FAILED, Outcome.WARNED)


def render(verdicts: Sequence[Verdict], options: Options) -> str:
    """Return the list; what is in the baseline is left out, as GitLab does with known issues."""
    issues = []
    for verdict in verdicts:
        found = [c for c in verdict.checks if c.outcome in SHOWN]
        issues += [_issue(verdict, i, c, options.language) for i, c in enumerate(found)]
        if verdict.is_unjudged:
            issues.append(_unjudged(verdict, options.language))
    return json.dumps(issues, indent=2, ensure_ascii=True) + "\n"


def _issue(verdict: Verdict, number: int, check: Check, language: Language) -> dict[str, Any]:
    severity = SEVERITIES[check.severity] if check.outcome is Outcome.FAILED else "info"
    said = f"{line(verdict.run)}: {line(check.message.get(language))}"
    place = {"path": relative(check.log or verdict.path), "lines": {"begin": check.line or 1}}
    return _row(verdict, line(check.id), said, severity, f"{check.fingerprint}\0{number}", place)


def _unjudged(verdict: Verdict, language: Language) -> dict[str, Any]:
    place = {"path": relative(verdict.path), "lines": {"begin": 1}}
    return _row(verdict, "unknown", UNJUDGED.get(language), "major", "unknown", place)


def _row(
    verdict: Verdict, name: str, said: str, severity: str, key: str, place: dict[str, Any]
) -> dict[str, Any]:
    unique = hashlib.sha256(f"{verdict.run}\0{key}".encode("utf-8", "surrogatepass"))
    return {
        "description": said,
        "check_name": f"spikedoc/{name}",
        "fingerprint": unique.hexdigest(),
        "severity": severity,
        "location": place,
    }


FORMAT: Final[Format] = render
