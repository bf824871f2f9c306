"""The report in short, for pasting into a chat: Markdown without tables, under 2,000 tokens."""

from __future__ import annotations

from typing import Final

from spikedoc.cleaning import name, one_line
from spikedoc.model.evidence import Verdict
from spikedoc.model.label import Status
from spikedoc.model.report import Advice, Cause, Report
from spikedoc.renderers._closing import back_line, lost_lines
from spikedoc.renderers._github import Block, code, code_line, fit, plain, prose
from spikedoc.renderers._strings import Words
from spikedoc.renderers._wording import (
    causes_to_tell,
    facts,
    fixes_of,
    label,
    names,
    place,
    score,
    split,
    to_cure,
    verdict_line,
    without_user_paths,
)
from spikedoc.renderers.base import Renderer, RenderOptions
from spikedoc.text import Text

# Tokenizers make a token of three to four characters of English with numbers, and of about one
# Chinese character; counted on the dear side. The reserve is for the sentence about what is left
# out.
TOKENS: Final = 2_000
RESERVE: Final = 60
ASCII_PER_TOKEN: Final = 3
# What a chat needs to begin with.
FINDINGS: Final = 6
CAUSES: Final = 3
EVIDENCE: Final = 3
CHECKS: Final = 5
FIXES: Final = 3
GAPS: Final = 8
LIMITS: Final = 3
# One sentence never fills a chat.
LONGEST: Final = 400
SIGNS: Final = {Verdict.SUPPORTS: "+", Verdict.REFUTES: "−"}


def tokens(text: str) -> int:
    """Return about how many tokens a text has, rather too many than too few."""
    ascii_ = sum(1 for sign in text if sign.isascii())
    return -(-ascii_ // ASCII_PER_TOKEN) + len(text) - ascii_


class Brief:
    """One report in short; each method returns the body of a block, "" when there is none."""

    def __init__(self, report: Report, options: RenderOptions) -> None:
        """Causes are taken in the order of their ranks."""
        self.report = report
        self.words = Words(options.language)
        self.colon = self.words("list.colon")

    def text(self) -> str:
        """Return the report; of a long one the last blocks are left out, and that is said."""
        words, healthy = self.words, self.report.status in (Status.HEALTHY, Status.UNKNOWN)
        blocks = [
            Block(0, "", self.head()),
            Block(1, words("heading.findings"), self.findings()),
            Block(2, words("heading.causes"), self.causes()),
            Block(4, words("heading.checklist"), "" if healthy else self.checks()),
            Block(5, words("heading.fixes"), "" if healthy else self.fixes()),
            Block(3, words("heading.rollback"), self.rollback()),
            Block(6, words("heading.gaps"), "" if healthy else self.gaps()),
            Block(7, words("heading.limits"), self.limits()),
        ]
        kept, dropped = fit(blocks, TOKENS - RESERVE, measure=tokens)
        bodies = [block.body for block in kept]
        if dropped:
            bodies.append(words("more.left_out", names=names(dropped, words)))
        return "\n\n".join(bodies) + "\n"

    def of(self, text: Text) -> str:
        """Return a text in the language of the reader, cut, without folders that name a person."""
        said = one_line(without_user_paths(self.words.of(text), self.report.run.path))
        return prose(said if len(said) <= LONGEST else f"{said[: LONGEST - 1]}…")

    def head(self) -> str:
        """Return the verdict, the likeliest cause and what the run is."""
        report, words = self.report, self.words
        status = words("markdown.title", status=words(f"status.{report.status.value}"))
        lines = [f"**{plain(status)}** {self.of(report.headline)}"]
        cause = verdict_line(report, words)
        if cause:
            lines.append(prose(cause))
        about = " · ".join(plain(fact) for fact in facts(report, words))
        lines.append(f"{code(report.run.name)} · {about}")
        return "\n".join(lines)

    def findings(self) -> str:
        """Return what happened, a line per finding."""
        lines = [
            f"- {plain(name(f.id))} {prose(label(f, self.words))}"
            f"{self._aside(plain(place(f, self.report, self.words)))}{self.colon}"
            f"{self.of(f.summary)}"
            for f in self.report.findings[:FINDINGS]
        ]
        return self._section("heading.findings", lines, len(self.report.findings) - FINDINGS)

    def _aside(self, text: str) -> str:
        return self.words("list.aside", text=text)

    def causes(self) -> str:
        """Return the first causes with the evidence for and against each."""
        heading, causes = causes_to_tell(self.report, verbose=False)
        lines = [
            line for i, cause in enumerate(causes[:CAUSES], 1) for line in self._cause(i, cause)
        ]
        return self._section(heading, lines, len(causes) - CAUSES)

    def _cause(self, number: int, cause: Cause) -> list[str]:
        found = split(cause.evidence)
        told = [(v, e) for v in (Verdict.SUPPORTS, Verdict.REFUTES) for e in found[v][:EVIDENCE]]
        told_score = self.words("list.comma").join((code(cause.rule.code), score(cause.score)))
        title = self.of(cause.rule.title) + self._aside(told_score)
        return [
            f"{number}. {title}",
            *(f"   {SIGNS[verdict]} {self.of(evidence.statement)}" for verdict, evidence in told),
        ]

    def checks(self) -> str:
        """Return the first steps of the procedure."""
        items = self.report.checklist
        lines = [f"{i}. {self._advice(item.check)}" for i, item in enumerate(items[:CHECKS], 1)]
        return self._section("heading.checklist", lines, len(items) - CHECKS)

    def fixes(self) -> str:
        """Return the fixes of the leading causes."""
        found = fixes_of(to_cure(self.report.causes, CAUSES))
        lines = [f"- {self._advice(fix)}" for fix, _ in found[:FIXES]]
        return self._section("heading.fixes", lines, len(found) - FIXES)

    def _advice(self, advice: Advice) -> str:
        path = self.report.run.path
        settings = [code_line(without_user_paths(line, path)) for line in advice.settings[:2]]
        return self.of(advice.text) + "".join(f"\n   {line}" for line in settings)

    def rollback(self) -> str:
        """Return where to go back to and what is lost by it."""
        back, words = self.report.rollback, self.words
        if back is None:
            return ""
        where = back_line(back, self.report.run.path, words, code)
        lines = [where, self.of(back.reason), *lost_lines(back, words)]
        return self._section("heading.rollback", [f"- {line}" for line in lines])

    def gaps(self) -> str:
        """Return the names of what was not logged."""
        found = [gap.signal for gap in self.report.gaps]
        return self._section("heading.gaps", [names(found, self.words, GAPS)] if found else [])

    def limits(self) -> str:
        """Return what the log cannot show."""
        lines = [f"- {self.of(limit)}" for limit in self.report.limits[:LIMITS]]
        return self._section("heading.limits", lines)

    def _section(self, key: str, lines: list[str], more: int = 0) -> str:
        if not lines:
            return ""
        tail = [self.words("more.plain", n=more)] if more > 0 else []
        return "\n".join([f"**{self.words(key)}**", *lines, *tail])


def render(report: Report, options: RenderOptions) -> str:
    """Return Markdown of at most about 2,000 tokens; width and colour do not matter."""
    return Brief(report, options).text()


RENDERER: Final[Renderer] = render
