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
    "无法判断：记录的数据太少（--allow-unknown 可放行）",
)
CLEAN: Final = Text("ok", "通过")
CAUSE: Final = Text(
    "likeliest cause {code}, see: spikedoc explain {code}",
    "最可能的原因是 {code}，详见：spikedoc explain {code}",
)


STYLES: Final = {
    Outcome.PASSED: "healthy",
    Outcome.FAILED: "critical",
    Outcome.KNOWN: "faint",
    Outcome.WARNED: "info",
}
# What goes on under a line that was too long.
INDENT: Final = "    "

Span = tuple[str, str]  # text and the name of its style


def render(verdicts: Sequence[Verdict], options: Options) -> str:
    """Return the lines, runs with failures first; wrapped only where a width is given."""
    ordered = sorted(verdicts, key=lambda verdict: verdict.passed)
    rows = [row for verdict in ordered for row in _rows(verdict, options)]
    if options.width is None and not options.color and options.unicode:
        return "".join("".join(text for text, _ in row) + "\n" for row in rows)
    return _drawn(rows, options)


def _drawn(rows: Sequence[Sequence[Span]], options: Options) -> str:
    from spikedoc.renderers._page import Page, wrap  # draws with rich

    longest = sum(len(text) for row in rows for text, _ in row)
    page = Page(options.width or 2 * longest + 1, options.color, options.unicode)
    for row in rows:
        spelt = [(page.spell(text), style) for text, style in row]
        for place, found in enumerate(wrap(spelt, page.width - len(INDENT))):
            page.raw(*([(INDENT, "")] if place else []), *found)
    return page.text()


def _rows(verdict: Verdict, options: Options) -> list[list[Span]]:
    language = options.language
    # A line that begins with two colons is a command to GitHub Actions.
    name = (line(verdict.run).replace("::", ": :") + ": ", "")
    rows = [[name, *_check(c, language)] for c in verdict.checks if _is_shown(c, options)]
    if verdict.is_unjudged:
        rows.append([name, (UNJUDGED.get(language), "unknown")])
    if verdict.passed:
        rows.append([name, (CLEAN.get(language), STYLES[Outcome.PASSED])])
    elif verdict.causes and verdict.failures:
        rows.append([name, (CAUSE.fill({"code": verdict.causes[0]}).get(language), "strong")])
    return rows


def _is_shown(check: Check, options: Options) -> bool:
    return options.verbose or check.outcome is not Outcome.PASSED


def _check(check: Check, language: Language) -> list[Span]:
    where = "" if check.step is None else f":{check.step}"
    said = line(check.message.get(language))
    sign = SIGNS[check.outcome].get(language)
    return [(sign, STYLES[check.outcome]), (f" {line(check.id)}{where} {said}", "")]


FORMAT: Final[Format] = render
