"""For people: one line per thing that is wrong, a line per run, a line for all."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from spikedoc.gate._plain import line
from spikedoc.gate.formats.base import Format, Options
from spikedoc.gate.verdict import Check, Outcome, Verdict
from spikedoc.text import Language, Text

SIGNS: Final = {
    Outcome.PASSED: Text("ok", "通过"),
    Outcome.FAILED: Text("FAIL", "失败"),
    Outcome.KNOWN: Text("known", "已知"),
    Outcome.WARNED: Text("note", "提示"),
}
UNJUDGED: Final = Text(
    "UNKNOWN: too little was logged to judge this run (--allow-unknown lets it pass)",
    "UNKNOWN：记录的数据太少，无法判断（--allow-unknown 可放行）",
)
CLEAN: Final = Text("ok", "通过")
CAUSE: Final = Text(
    "likeliest cause {code}, see: spikedoc explain {code}",
    "最可能的原因是 {code}，详见：spikedoc explain {code}",
)


def render(verdicts: Sequence[Verdict], options: Options) -> str:
    """Return the lines, runs with failures first."""
    ordered = sorted(verdicts, key=lambda verdict: verdict.passed)
    return "".join(_run(verdict, options) for verdict in ordered)


def _run(verdict: Verdict, options: Options) -> str:
    language = options.language
    # A line that begins with two colons is a command to GitHub Actions.
    name = line(verdict.run).replace("::", ": :")
    rows = [f"{name}: {_check(c, language)}" for c in verdict.checks if _is_shown(c, options)]
    if verdict.is_unjudged:
        rows.append(f"{name}: {UNJUDGED.get(language)}")
    if verdict.passed:
        rows.append(f"{name}: {CLEAN.get(language)}")
    elif verdict.causes and verdict.failures:
        code = verdict.causes[0]
        rows.append(f"{name}: {CAUSE.fill({'code': code}).get(language)}")
    return "\n".join(rows) + "\n"


def _is_shown(check: Check, options: Options) -> bool:
    return options.verbose or check.outcome is not Outcome.PASSED


def _check(check: Check, language: Language) -> str:
    where = "" if check.step is None else f":{check.step}"
    said = line(check.message.get(language))
    return f"{SIGNS[check.outcome].get(language)} {line(check.id)}{where} {said}"


FORMAT: Final[Format] = render
