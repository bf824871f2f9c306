"""The report for a GitHub issue: verdict and tables in the open, evidence folded away."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from spikedoc.cleaning import name
from spikedoc.model.evidence import Evidence, Verdict
from spikedoc.model.label import Status
from spikedoc.model.metric import spoken
from spikedoc.model.report import Advice, Cause, Report
from spikedoc.renderers._closing import back_line, framework_line, guard_lines, lost_lines
from spikedoc.renderers._github import (
    BUDGET,
    Block,
    code,
    code_line,
    fit,
    fold,
    html,
    listing,
    plain,
    prose,
    table,
)
from spikedoc.renderers._plot import spark_line
from spikedoc.renderers._several import together
from spikedoc.renderers._strings import Words
from spikedoc.renderers._wording import (
    FULL_CAUSES,
    causes_to_tell,
    facts,
    fixes_of,
    id_ranges,
    label,
    missing,
    names,
    notes_of,
    place,
    score,
    split,
    to_cure,
    verdict_line,
    without_user_paths,
)
from spikedoc.renderers.base import DocumentRenderer, Renderer, RenderOptions
from spikedoc.text import Text

# Longer lists say how much more there is; nobody reads them in an issue.
ROWS_SHOWN: Final = 20

# Room for the sentence that says what was left out.
RESERVE: Final = 500

SPARK_WIDTH: Final = 60

SIGNS: Final = {Verdict.SUPPORTS: "+", Verdict.REFUTES: "−", Verdict.UNKNOWN: "?"}


class Issue:
    """One report as Markdown; each method returns the body of a block, "" when there is none."""

    def __init__(self, report: Report, options: RenderOptions) -> None:
        """Causes are taken in the order of their ranks."""
        self.report = report
        self.words = Words(options.language)
        self.colon = self.words("list.colon")
        self.causes = sorted(report.causes, key=lambda cause: cause.rank)
        self.is_quiet = report.status in (Status.HEALTHY, Status.UNKNOWN)

    def text(self, budget: int = BUDGET) -> str:
        """Return the report in at most `budget` characters, or its head when even that is more."""
        words = self.words
        full = self.causes[:FULL_CAUSES]
        blocks = [
            Block(0, "", self.head()),
            Block(1, words("heading.findings"), self.findings()),
            Block(1, words("heading.causes"), self.cause_table()),
            *(Block(3, name(c.rule.code), self.evidence(c)) for c in full if not self.is_quiet),
            Block(2, words("heading.checklist"), "" if self.is_quiet else self.checklist()),
            Block(2, words("heading.fixes"), "" if self.is_quiet else self.fixes()),
            Block(2, words("heading.rollback"), self.rollback()),
            Block(3, words("heading.guards"), self.guards()),
            Block(4, words("heading.gaps"), self.gaps()),
            Block(5, words("heading.snippet"), "" if self.is_quiet else self.snippet()),
            Block(4, words("heading.limits"), self.limits()),
            Block(5, words("heading.notes"), self.notes()),
            Block(6, words("markdown.others"), self.other_evidence()),
            Block(6, words("markdown.settings"), self.settings()),
        ]
        kept, dropped = fit(blocks, budget - RESERVE)
        bodies = [block.body for block in kept]
        if dropped:
            bodies.append(words("more.dropped", names=names(dropped, words, ROWS_SHOWN)))
        bodies.append(f"<sub>{html(self._footer())}</sub>")
        return "\n\n".join(bodies) + "\n"

    def _footer(self) -> str:
        return self.words("markdown.footer", version=name(self.report.spikedoc_version))

    def of(self, text: Text) -> str:
        """Return a text in the language of the issue, without folders that name a person."""
        return without_user_paths(self.words.of(text), self.report.run.path)

    def head(self) -> str:
        """Return the verdict, the likeliest cause and what the run is."""
        report, words = self.report, self.words
        status = words("markdown.title", status=words(f"status.{report.status.value}"))
        lines = [f"## {plain(status)}", f"**{prose(self.of(report.headline))}**"]
        cause = verdict_line(report, words)
        if cause:
            lines.append(prose(cause))
        about = " · ".join(plain(fact) for fact in facts(report, words))
        lines.append(f"{words('markdown.run', name=code(report.run.name))} · {about}")
        curve = spark_line(report.plot, SPARK_WIDTH) if report.plot else ""
        if report.plot and curve:
            lines.append(f"{code(spoken(report.plot.signal))} `{curve}`")
        return "\n\n".join(lines)

    def findings(self) -> str:
        """Return the table of findings."""
        findings = self.report.findings
        if not findings:
            return ""
        words = self.words
        columns = [words(f"column.{key}") for key in ("id", "severity", "kind", "where", "what")]
        rows = [
            [
                plain(name(finding.id)),
                words(f"severity.{finding.anomaly.severity.value}"),
                prose(label(finding, words)),
                plain(place(finding, self.report, words)),
                prose(self.of(finding.summary)),
            ]
            for finding in findings[:ROWS_SHOWN]
        ]
        key = "heading.seen" if self.is_quiet else "heading.findings"
        return self._section(key, table(columns, rows), len(findings))

    def cause_table(self) -> str:
        """Return the table of ranked causes."""
        heading, causes = causes_to_tell(self.report, verbose=False)
        if not causes:
            return ""
        words = self.words
        keys = ("rank", "cause", "score", "domain", "findings")
        columns = [words(f"column.{key}") for key in keys]
        rows = [
            [
                str(number),
                prose(self.of(cause.rule.title)) + self._aside(code(cause.rule.code)),
                score(cause.score),
                words(f"domain.{cause.rule.domain.value}"),
                plain(id_ranges(cause.findings)),
            ]
            for number, cause in enumerate(causes[:ROWS_SHOWN], 1)
        ]
        return self._section(heading, table(columns, rows), len(causes))

    def evidence(self, cause: Cause) -> str:
        """Return why a cause is believed, folded."""
        found = split(cause.evidence)
        counts = {verdict.value: len(found[verdict]) for verdict in Verdict}
        title, code_ = self.of(cause.rule.title), name(cause.rule.code)
        summary = self.words(
            "markdown.evidence", rank=cause.rank, title=title, code=code_, **counts
        )
        parts = [prose(self.of(cause.rule.why)), self._evidence_list(cause)]
        benign = prose(self.of(cause.rule.benign_when))
        if benign:
            parts.append(self.words("cause.benign_when", text=benign))
        return fold(html(summary), "\n\n".join(part for part in parts if part))

    def _evidence_list(self, cause: Cause) -> str:
        ordered = [e for verdict in Verdict for e in split(cause.evidence)[verdict]]
        lines = [self._evidence_line(evidence) for evidence in ordered[:ROWS_SHOWN]]
        return "\n".join(lines) or self.words("cause.no_evidence")

    def _evidence_line(self, evidence: Evidence) -> str:
        line = f"- **{SIGNS[evidence.verdict]}** {prose(self.of(evidence.statement))}"
        lacking = [code(item) for item in missing([evidence])]
        if not lacking:
            return line
        listed = self.words("list.comma").join(lacking)
        return line + self._aside(self.words("cause.unlogged", names=listed))

    def _aside(self, text: str) -> str:
        return self.words("list.aside", text=text)

    def other_evidence(self) -> str:
        """Return the evidence for the causes that are not told in full, folded as one."""
        others = self.causes[FULL_CAUSES:ROWS_SHOWN]
        if not others or self.is_quiet:
            return ""
        bodies = [
            f"**{prose(self.of(cause.rule.title))}**{self._aside(code(cause.rule.code))}\n\n"
            + self._evidence_list(cause)
            for cause in others
        ]
        return fold(html(self.words("markdown.others")), "\n\n".join(bodies))

    def checklist(self) -> str:
        """Return the ordered procedure as boxes to tick."""
        lines = []
        for number, item in enumerate(self.report.checklist[:ROWS_SHOWN], start=1):
            stage = prose(self.of(item.stage))
            advice = self._advice(item.check, item.causes)
            lines.append(f"{number}. [ ] **{stage}**{self.colon}{advice}")
        return self._section("heading.checklist", "\n".join(lines), len(self.report.checklist))

    def fixes(self) -> str:
        """Return the fixes of the leading causes, each once."""
        found = fixes_of(to_cure(self.causes, FULL_CAUSES))
        lines = [f"- {self._advice(fix, codes)}" for fix, codes in found[:ROWS_SHOWN]]
        named = framework_line(self.report, [fix for fix, _ in found[:ROWS_SHOWN]], self.words)
        lines += ["", plain(named)] if named else []
        return self._section("heading.fixes", "\n".join(lines), len(found))

    def _advice(self, advice: Advice, codes: Sequence[str]) -> str:
        notes = [self.words(f"cost.{advice.cost.value}")] if advice.cost else []
        notes.extend(code(item) for item in codes)
        tail = self._aside(self.words("list.comma").join(notes)) if notes else ""
        path = self.report.run.path
        settings = [code_line(without_user_paths(line, path)) for line in advice.settings]
        return prose(self.of(advice.text)) + tail + "".join(f"\n  - {line}" for line in settings)

    def rollback(self) -> str:
        """Return where to go back to and what is lost by it."""
        back, words = self.report.rollback, self.words
        if back is None:
            return ""
        where = back_line(back, self.report.run.path, words, code)
        lines = [where, prose(self.of(back.reason)), *lost_lines(back, words)]
        return self._section("heading.rollback", "\n".join(f"- {line}" for line in lines))

    def guards(self) -> str:
        """Return where guards would have fired."""
        lines = [f"- {plain(line)}" for line in guard_lines(self.report, self.words)]
        return self._section("heading.guards", "\n".join(lines))

    def snippet(self) -> str:
        """Return the code that logs what was missing, folded."""
        if not self.report.snippet:
            return ""
        return fold(html(self.words("heading.snippet")), listing(self.report.snippet))

    def gaps(self) -> str:
        """Return what was not logged."""
        gaps = self.report.gaps
        lines = [
            f"- {code(gap.signal)}{self.colon}{prose(self.of(gap.would_tell))}" for gap in gaps
        ]
        return self._section("heading.gaps", "\n".join(lines[:ROWS_SHOWN]), len(lines))

    def limits(self) -> str:
        """Return what the log cannot show."""
        lines = [f"- {prose(self.of(limit))}" for limit in self.report.limits]
        return self._section("heading.limits", "\n".join(lines[:ROWS_SHOWN]), len(lines))

    def notes(self) -> str:
        """Return what readers skipped or guessed, folded."""
        found = [f"- {prose(self.of(note))}" for note in notes_of(self.report)]
        if not found:
            return ""
        return fold(html(self.words("heading.notes")), "\n".join(found[:ROWS_SHOWN]))

    def settings(self) -> str:
        """Return the settings found beside the log, folded."""
        run = self.report.run
        lines = [
            f"- {code(key)}: {code(without_user_paths(str(value), run.path))}"
            for key, value in list(run.config.items())[: 2 * ROWS_SHOWN]
        ]
        return fold(html(self.words("markdown.settings")), "\n".join(lines)) if lines else ""

    def _section(self, key: str, body: str, count: int = 0) -> str:
        if not body:
            return ""
        more = count - ROWS_SHOWN
        tail = f"\n\n{self.words('more.plain', n=more)}" if more > 0 else ""
        return f"### {self.words(key)}\n\n{body}{tail}"


def render(report: Report, options: RenderOptions) -> str:
    """Return Markdown of at most 60,000 characters; width and colour do not matter."""
    return Issue(report, options).text()


def render_all(reports: Sequence[Report], options: RenderOptions) -> str:
    """Return all reports, with a rule between them, in at most 60,000 characters.

    What is too long for an issue begins with a table of all runs; the reports after it are cut
    where each one allows it, and the last ones left out when there are too many.
    """
    return together([Issue(report, options) for report in reports], Words(options.language))


RENDERER: Final[Renderer] = render
RENDER_ALL: Final[DocumentRenderer] = render_all
