"""The terminal report from top to bottom."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from spikedoc.cleaning import lines, name, one_line
from spikedoc.model.evidence import Verdict
from spikedoc.model.knowledge import Domain
from spikedoc.model.label import Severity, Status
from spikedoc.model.report import Advice, Cause, Report
from spikedoc.renderers._closing import framework_line
from spikedoc.renderers._ending import add_guards, add_rollback, add_snippet
from spikedoc.renderers._page import Page, Span, clip, code_spans, pad, width_of
from spikedoc.renderers._panel import add_plot
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
)
from spikedoc.renderers.base import RenderOptions

# What is shown before the rest is only counted, unless everything is asked for.
FINDINGS_SHOWN: Final = 6
OTHER_CAUSES_SHOWN: Final = 6
CHECKS_SHOWN: Final = 6
FIXES_SHOWN: Final = 5
ITEMS_SHOWN: Final = 5

# Cells of the bar that shows a score.
BAR_CELLS: Final = 10

# Columns of a name that stands before its text.
WIDEST_LABEL: Final = 16

# Narrower than this nothing can be laid out; wider than this nothing gains.
NARROWEST: Final = 40
WIDEST: Final = 200


# What ended well or cannot be judged needs no procedure and no repair.
QUIET: Final = (Status.HEALTHY, Status.UNKNOWN)


class Screen:
    """One report on one page; every method adds a part of it."""

    def __init__(self, report: Report, options: RenderOptions) -> None:
        """Start with an empty page of the width asked for."""
        self.report = report
        self.words = Words(options.language)
        self.verbose = options.verbose
        width = min(max(options.width, NARROWEST), WIDEST)
        self.page = Page(width, options.color, options.unicode)

    def draw(self) -> str:
        """Return the whole report."""
        self.add_verdict()
        add_plot(self.page, self.report, self.words)
        self.add_findings()
        self.add_causes()
        self.add_checklist()
        self.add_fixes()
        add_rollback(self.page, self.report, self.words)
        add_guards(self.page, self.report, self.words)
        self.add_gaps()
        if self.verbose or self.report.status not in QUIET:
            add_snippet(self.page, self.report, self.words)
        self.add_texts("limits", [self.words.of(limit) for limit in self.report.limits])
        self.add_texts("notes", [self.words.of(note) for note in notes_of(self.report)])
        return self.page.text()

    def add_verdict(self) -> None:
        """Add what happened, why, and where to go back to: the lines read first."""
        report, words, page = self.report, self.words, self.page
        status = report.status.value
        badge: Span = (f" {words(f'status.{status}')} ", f"badge-{status}")
        headline = one_line(words.of(report.headline))
        page.add((headline, "strong"), first=[badge, (" ", "")])
        cause = verdict_line(report, words)
        if cause:
            page.add(*code_spans(cause))
        back = report.rollback
        if back and back.checkpoint:
            checkpoint = name(back.checkpoint)
            page.add((words("verdict.rollback", step=back.step, checkpoint=checkpoint), ""))
        elif back:
            page.add((words("verdict.rollback_step", step=back.step), ""))
        dot = " · "
        page.add((dot.join([name(report.run.name), *facts(report, words)]), "faint"))

    def add_findings(self) -> None:
        """Add what was found, worst first."""
        findings = self.report.findings
        if not findings:
            return
        harmless = all(f.anomaly.severity is Severity.INFO for f in findings)
        self.page.heading(self.words("heading.seen" if harmless else "heading.findings"))
        shown = findings if self.verbose else findings[:FINDINGS_SHOWN]
        ids = [clip(name(f.id), WIDEST_LABEL) for f in shown]
        id_width = max(width_of(id_) for id_ in ids)
        word_width = max(
            width_of(self.words(f"severity.{f.anomaly.severity.value}")) for f in shown
        )
        for finding, id_ in zip(shown, ids, strict=True):
            severity = finding.anomaly.severity.value
            first: list[Span] = [
                (f"  {pad(id_, id_width)}  ", "strong"),
                (pad(self.words(f"severity.{severity}"), word_width) + "  ", severity),
            ]
            where = place(finding, self.report, self.words)
            kind = label(finding, self.words)
            self.page.add((kind, "strong"), (f" · {where}", "faint"), first=first)
            indent = " " * sum(width_of(text) for text, _ in first)
            summary = one_line(self.words.of(finding.summary))
            self.page.add(*code_spans(summary), first=[(indent, "")])
        self._more("more.findings", len(findings) - len(shown))

    def add_causes(self) -> None:
        """Add the ranked causes: the first ones with their evidence, the others on a line each."""
        heading, causes = causes_to_tell(self.report, verbose=self.verbose)
        if not causes:
            return
        healthy = self.report.status in QUIET
        self.page.heading(self.words(heading))
        full = len(causes) if self.verbose else 0 if healthy else FULL_CAUSES
        for number, cause in enumerate(causes[:full], 1):
            if number > 1:
                self.page.blank()
            self._cause(number, cause)
        others = causes[full : full + OTHER_CAUSES_SHOWN]
        if full and others:
            self.page.blank()
        for number, cause in enumerate(others, full + 1):
            self._cause_title(number, cause)
        self._more("more.causes", len(causes) - full - len(others))
        if not self.verbose and not healthy:
            hint = self.words("more.explain", code=name(causes[0].rule.code))
            self.page.add((hint, "faint"), first=[("     ", "")])

    def _cause_title(self, number: int, cause: Cause) -> None:
        rule, words = cause.rule, self.words
        filled = round(min(max(cause.score, 0.0), 1.0) * BAR_CELLS)
        cells = "█░" if self.page.unicode else "#."
        bar: list[Span] = [(cells[0] * filled, "curve"), (cells[1] * (BAR_CELLS - filled), "faint")]
        facts_ = [] if rule.domain is Domain.BENIGN else [words(f"domain.{rule.domain.value}")]
        facts_.append(id_ranges(cause.findings))
        self.page.add(
            (one_line(words.of(rule.title)), "strong"),
            (" · ", "faint"),
            (name(rule.code), "code"),
            (" · " + " · ".join(facts_), "faint"),
            first=[
                (f"{number:>3}  ", "strong"),
                *bar,
                (f" {score(cause.score)}  ", ""),
            ],
        )

    def _cause(self, number: int, cause: Cause) -> None:
        self._cause_title(number, cause)
        words = self.words
        if self.verbose or cause.rank == 1:
            self._aside("", words.of(cause.rule.why))
        if self.verbose:
            self._aside("cause.benign_when", words.of(cause.rule.benign_when))
        found = split(cause.evidence)
        minus = "−" if self.page.unicode else "-"
        for verdict, sign in ((Verdict.SUPPORTS, "+"), (Verdict.REFUTES, minus)):
            for evidence in found[verdict]:
                text = one_line(words.of(evidence.statement))
                self.page.add(*code_spans(text), first=[(f"     {sign} ", verdict.value)])
        self._open_questions(cause)
        if self.verbose and cause.rule.sources:
            self._aside("cause.sources", "; ".join(cause.rule.sources))

    def _open_questions(self, cause: Cause) -> None:
        unknown = split(cause.evidence)[Verdict.UNKNOWN]
        if not unknown:
            return
        first: list[Span] = [("     ? ", "unknown")]
        if self.verbose:
            for evidence in unknown:
                lacking = names(missing([evidence]), self.words)
                unlogged = self.words("cause.unlogged", names=lacking)
                tail = self.words("list.aside", text=unlogged) if lacking else ""
                text = one_line(self.words.of(evidence.statement)) + tail
                self.page.add(*code_spans(text, "faint"), first=first)
            return
        lacking = names(missing(unknown), self.words)
        key = "cause.unlogged" if lacking else "cause.undecided"
        self.page.add((self.words(key, names=lacking, n=len(unknown)), "faint"), first=first)

    def _aside(self, key: str, text: str) -> None:
        for number, line in enumerate(lines(text)):
            shown = self.words(key, text=line) if key and number == 0 else line
            self.page.add(*code_spans(shown, "faint"), first=[("     ", "")])

    def add_checklist(self) -> None:
        """Add the ordered procedure, under the names of its stages."""
        items = self.report.checklist
        if not items or (self.report.status in QUIET and not self.verbose):
            return
        self.page.heading(self.words("heading.checklist"))
        shown = items if self.verbose else items[:CHECKS_SHOWN]
        stage = ""
        for number, item in enumerate(shown, start=1):
            if self.words.of(item.stage) != stage:
                stage = self.words.of(item.stage)
                self.page.add((one_line(stage), "info"), first=[("  ", "")])
            self._advice(item.check, f"{number:>4}. ", item.causes)
        self._more("more.checks", len(items) - len(shown))

    def add_fixes(self) -> None:
        """Add the fixes of the leading causes, or of all when everything is asked for."""
        causes = sorted(self.report.causes, key=lambda cause: cause.rank)
        told = causes if self.verbose else to_cure(causes, FULL_CAUSES)
        shown = [c for c in told if c.fixes]
        if not shown or (self.report.status in QUIET and not self.verbose):
            return
        self.page.heading(self.words("heading.fixes"))
        fixes = fixes_of(shown)
        cut = fixes if self.verbose else fixes[:FIXES_SHOWN]
        for fix, codes in cut:
            self._advice(fix, "  • ", codes)
        known = fixes_of(causes if self.verbose else causes[:FULL_CAUSES])
        self._more("more.fixes", len(known) - len(cut))
        named = framework_line(self.report, [fix for fix, _ in cut], self.words)
        if named:
            self.page.add((named, "faint"), first=[("  ", "")])

    def _advice(self, advice: Advice, start: str, codes: Sequence[str]) -> None:
        notes = [self.words(f"cost.{advice.cost.value}")] if advice.cost else []
        notes.extend(name(code) for code in codes)
        found = lines(self.words.of(advice.text)) or [name(advice.id)]
        for number, line in enumerate(found):
            first = start if number == 0 else " " * width_of(start)
            is_last = number == len(found) - 1
            ending = (
                [(f" [{self.words('list.comma').join(notes)}]", "faint")]
                if is_last and notes
                else []
            )
            self.page.add(*code_spans(line), *ending, first=[(first, "")])
        for setting in advice.settings:
            self.page.code(one_line(setting), width_of(start) + 2)

    def add_gaps(self) -> None:
        """Add what was not logged and would have helped."""
        gaps = self.report.gaps
        if not gaps:
            return
        self.page.heading(self.words("heading.gaps"))
        shown = gaps if self.verbose else gaps[:ITEMS_SHOWN]
        labels = [clip(name(gap.signal), WIDEST_LABEL) for gap in shown]
        wide = max(width_of(text) for text in labels)
        for gap, signal in zip(shown, labels, strict=True):
            text = one_line(self.words.of(gap.would_tell))
            first: list[Span] = [(f"  {pad(signal, wide)}  ", "code")]
            self.page.add(*code_spans(text), first=first)
        self._more("more.items", len(gaps) - len(shown))

    def add_texts(self, heading: str, texts: list[str]) -> None:
        """Add a list of sentences under a heading."""
        if not texts:
            return
        self.page.heading(self.words(f"heading.{heading}"))
        shown = texts if self.verbose else texts[:ITEMS_SHOWN]
        for text in shown:
            self.page.add((one_line(text), "faint"), first=[("  • ", "faint")])
        self._more("more.items", len(texts) - len(shown))

    def _more(self, key: str, count: int) -> None:
        if count > 0:
            self.page.add((self.words(key, n=count), "faint"), first=[("     ", "")])
