"""Workflow commands that GitHub Actions shows as annotations."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from spikedoc.gate._plain import line, relative
from spikedoc.gate.formats.base import Format, Options
from spikedoc.gate.formats.text import UNJUDGED
from spikedoc.gate.verdict import Check, Outcome, Verdict
from spikedoc.text import Language, Text

# GitHub shows ten of each level per step and drops the rest without a word: the tenth says so.
SHOWN: Final = 10
MORE: Final = Text("{count} more in the summary of the job", "另有 {count} 条，见作业摘要")
LEVELS: Final = {Outcome.FAILED: "error", Outcome.WARNED: "notice", Outcome.KNOWN: "notice"}


def render(verdicts: Sequence[Verdict], options: Options) -> str:
    """Return one command per failed check and per remark, errors first."""
    found: dict[str, list[tuple[str, str, str]]] = {"error": [], "notice": []}
    for verdict in verdicts:
        for check in verdict.checks:
            if check.outcome in LEVELS:
                entry = _entry(verdict, check, options.language)
                found[LEVELS[check.outcome]].append(entry)
        if verdict.is_unjudged:
            said = UNJUDGED.get(options.language)
            place = f"file={_property(relative(verdict.path))}"
            found["error"].append((place, f"{line(verdict.run)}: unknown", said))
    return "".join(_commands(level, rows, options.language) for level, rows in found.items())


def _entry(verdict: Verdict, check: Check, language: Language) -> tuple[str, str, str]:
    title = f"{line(verdict.run)}: {line(check.title.get(language))}"
    place = f"file={_property(relative(check.log or verdict.path))}"
    if check.line is not None:
        place += f",line={check.line}"
    return place, title, line(check.message.get(language))


def _commands(level: str, rows: list[tuple[str, str, str]], language: Language) -> str:
    shown = rows if len(rows) <= SHOWN else rows[: SHOWN - 1]
    out = [f"::{level} {p},title={_property(t)}::{_data(m)}" for p, t, m in shown]
    if len(rows) > len(shown):
        rest = MORE.fill({"count": len(rows) - len(shown)}).get(language)
        out.append(f"::{level} title=spikedoc::{_data(rest)}")
    return "".join(f"{command}\n" for command in out)


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")


FORMAT: Final[Format] = render
