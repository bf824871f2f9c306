"""The verdicts as a Markdown table for the summary page of a CI job."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from spikedoc.gate._plain import line
from spikedoc.gate.formats.text import SIGNS, UNJUDGED
from spikedoc.gate.verdict import Outcome, Verdict
from spikedoc.text import Language, Text

# A job summary holds 1 MiB; long tables help nobody.
ROWS: Final = 200
MARKUP: Final = re.compile(r"([\\`*_{}\[\]<>()#+!|~$@&])")
HEAD: Final = Text("| Run | Result | What |", "| 训练 | 结果 | 内容 |")
UNKNOWN: Final = Text("UNKNOWN", "无法判断")
REST: Final = Text("{count} more {count|row was|rows were} left out.", "另有 {count} 行未列出。")


def markdown(verdicts: Sequence[Verdict], language: Language) -> str:
    """Return the table: what failed, what is known, and the runs that passed."""
    rows = [row for verdict in verdicts for row in _rows(verdict, language)]
    lines = ["### spikedoc", "", HEAD.get(language), "| --- | --- | --- |", *rows[:ROWS]]
    if len(rows) > ROWS:
        lines += ["", REST.fill({"count": len(rows) - ROWS}).get(language)]
    return "\n".join(lines) + "\n\n"


def _rows(verdict: Verdict, language: Language) -> list[str]:
    name = _cell(verdict.run)
    out = []
    if verdict.is_unjudged:
        out.append(f"| {name} | **{UNKNOWN.get(language)}** | {_cell(UNJUDGED.get(language))} |")
    for check in verdict.checks:
        if check.outcome is not Outcome.PASSED:
            sign = SIGNS[check.outcome].get(language)
            shown = f"**{sign}**" if check.outcome is Outcome.FAILED else sign
            out.append(f"| {name} | {shown} | {_cell(check.message.get(language))} |")
    passed = SIGNS[Outcome.PASSED].get(language)
    return out or [f"| {name} | {passed} | {_cell(verdict.headline.get(language))} |"]


def _cell(text: str) -> str:
    return markup(line(text))


def markup(text: str) -> str:
    """Return text in which nothing is Markdown or HTML."""
    return MARKUP.sub(r"\\\1", text)
