"""SARIF 2.1.0, for code scanning: each result points at the setting to change, else at the log.

In the log it points at the line of the step, where one line alone can be meant.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from typing import Any, Final
from urllib.parse import quote

from spikedoc.gate._plain import line, relative
from spikedoc.gate.formats.base import Format, Options
from spikedoc.gate.formats.text import UNJUDGED
from spikedoc.gate.place import setting_line
from spikedoc.gate.summary import markup
from spikedoc.gate.verdict import Check, Outcome, Verdict
from spikedoc.model.label import Severity
from spikedoc.text import Language, Text
from spikedoc.version import VERSION

SCHEMA: Final = (
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
)
# Code scanning takes no result without a line; of a log whose line is not known it is the first.
NO_LINE: Final = 1
BASE: Final = "%SRCROOT%"
CATEGORY: Final = "spikedoc/"
# Of one run GitHub takes 25,000 results and shows 5,000.
MOST_RESULTS: Final = 5_000
SHOWN: Final = (Outcome.FAILED, Outcome.WARNED)
LEVELS: Final = {
    Severity.CRITICAL: "error",
    Severity.WARNING: "warning",
    Severity.INFO: "note",
}
NOT_JUDGED: Final = "not-judged"
NOT_JUDGED_TITLE: Final = Text("Too little to judge the run", "数据太少，无法判断")
CAUSE: Final = Text("likeliest cause: {code}", "最可能的原因：{code}")
HELP: Final = Text(
    "`spikedoc explain {id}` says what it means and what may cause it; the full report, with the "
    "evidence: `spikedoc analyze PATH`.",
    "`spikedoc explain {id}` 说明其含义与可能原因；带证据的完整报告：`spikedoc analyze PATH`。",
)
HELP_OWN: Final = Text(
    "A bound this project set for its runs, in `spikedoc.toml` or by a reference of healthy runs.",
    "本项目为训练设定的界限，写在 `spikedoc.toml` 中，或来自健康训练的参考。",
)
THE_LOG: Final = Text("the log", "日志")


def render(verdicts: Sequence[Verdict], options: Options) -> str:
    """Return the log; findings that are known are left out, as are checks that passed."""
    rules: dict[str, dict[str, Any]] = {}
    results = [
        _result(verdict, check, number, rules, options.language)
        for verdict in verdicts
        for number, check in enumerate(_checks(verdict))
    ]
    run = {
        "tool": {"driver": _driver(list(rules.values()))},
        "automationDetails": {"id": CATEGORY},
        "columnKind": "unicodeCodePoints",
        "results": sorted(results, key=_weight)[:MOST_RESULTS],
    }
    content = {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}
    return json.dumps(content, indent=2, ensure_ascii=True, allow_nan=False) + "\n"


def _weight(result: dict[str, Any]) -> int:
    return list(LEVELS.values()).index(result["level"])


def _driver(rules: list[dict[str, Any]]) -> dict[str, Any]:
    return {"name": "spikedoc", "semanticVersion": VERSION, "rules": rules}


def _checks(verdict: Verdict) -> list[Check]:
    found = [check for check in verdict.checks if check.outcome in SHOWN]
    if verdict.is_unjudged:
        found.append(
            Check(
                id=NOT_JUDGED,
                title=NOT_JUDGED_TITLE,
                outcome=Outcome.FAILED,
                severity=Severity.CRITICAL,
                message=UNJUDGED,
                fingerprint=NOT_JUDGED,
            )
        )
    return found


def _result(
    verdict: Verdict,
    check: Check,
    number: int,
    rules: dict[str, dict[str, Any]],
    language: Language,
) -> dict[str, Any]:
    name = line(check.id)
    rules.setdefault(name, _rule(name, check, language))
    failed = check.outcome is Outcome.FAILED
    said = f"{line(verdict.run)}: {line(check.message.get(language))}"
    if failed and check.settings and verdict.causes:
        said += f" ({CAUSE.fill({'code': verdict.causes[0]}).get(language)})"
    unique = f"{verdict.run}\0{check.fingerprint}\0{number}".encode("utf-8", "surrogatepass")
    steady = hashlib.sha256(unique).hexdigest()[:16]
    return {
        "ruleId": name,
        "ruleIndex": list(rules).index(name),
        "level": LEVELS[check.severity] if failed else "note",
        "message": {"text": _plain(said)},
        **_locations(verdict, check, language),
        "partialFingerprints": {
            "primaryLocationLineHash": f"{steady}:1",
            "spikedocFinding/v1": steady,
        },
    }


def _rule(name: str, check: Check, language: Language) -> dict[str, Any]:
    title = line(check.title.get(language))
    own = ":" in name or name == NOT_JUDGED
    advice = (HELP_OWN if own else HELP.fill({"id": name})).get(language)
    level = LEVELS[check.severity]
    return {
        "id": name,
        "shortDescription": {"text": title},
        "fullDescription": {"text": title},
        "help": {"text": advice.replace("`", ""), "markdown": f"**{markup(title)}**\n\n{advice}"},
        "defaultConfiguration": {"level": level},
        "properties": {
            "tags": ["training", "deep-learning"],
            "precision": "high",
            "problem.severity": "recommendation" if level == "note" else level,
        },
    }


def _locations(verdict: Verdict, check: Check, language: Language) -> dict[str, Any]:
    """Return the line of the setting that the likeliest cause would have changed, else the log."""
    log = _location(relative(check.log or verdict.path), check.line or NO_LINE)
    place = setting_line(verdict.path, check.settings)
    if place is None:
        return {"locations": [log]}
    beside = {"id": 1, **log, "message": {"text": THE_LOG.get(language)}}
    return {
        "locations": [_location(place.path.as_posix(), place.line)],
        "relatedLocations": [beside],
    }


def _location(path: str, number: int) -> dict[str, Any]:
    artifact = {"uri": quote(path.encode("utf-8", "replace")), "uriBaseId": BASE}
    return {"physicalLocation": {"artifactLocation": artifact, "region": {"startLine": number}}}


def _plain(text: str) -> str:
    """Return text in which no bracket begins a link, as SARIF has it in plain messages."""
    return text.replace("\\", "\\\\").replace("[", "\\[").replace("]", "\\]")


FORMAT: Final[Format] = render
