"""Findings and causes as cards of the page."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from markupsafe import Markup

from spikedoc.cleaning import name, one_line
from spikedoc.model.evidence import Evidence, Verdict
from spikedoc.model.report import Cause, Finding, Report
from spikedoc.renderers._html_text import ALL_WORDS, Wording
from spikedoc.renderers._strings import table
from spikedoc.renderers._wording import id_ranges, label, missing, place, score, split
from spikedoc.text import Text


class Run(Protocol):
    """What a card asks of the run it belongs to."""

    report: Report
    wording: Wording
    has_curves: bool


@dataclass(frozen=True, slots=True)
class FindingCard:
    """One finding."""

    sheet: Run
    finding: Finding

    @property
    def id(self) -> str:
        """Return the id of the finding, as in every other format."""
        return name(self.finding.id)

    @property
    def severity(self) -> str:
        """Return the severity."""
        return self.finding.anomaly.severity.value

    def title(self) -> Markup:
        """Return the name of its label."""
        return self.sheet.wording.both(lambda words: label(self.finding, words))

    def place(self) -> Markup:
        """Return series and steps."""
        return self.sheet.wording.both(lambda words: place(self.finding, self.sheet.report, words))

    def summary(self) -> Markup:
        """Return the sentence on it."""
        return self.sheet.wording.text(self.finding.summary)

    def is_drawn(self) -> bool:
        """Return whether there is a curve to show it in."""
        return self.sheet.has_curves


@dataclass(frozen=True, slots=True)
class CauseCard:
    """One cause with its evidence."""

    sheet: Run
    cause: Cause

    @property
    def code(self) -> str:
        """Return the code of its rule."""
        return name(self.cause.rule.code)

    @property
    def score(self) -> str:
        """Return its score with two decimals."""
        return score(self.cause.score)

    @property
    def percent(self) -> int:
        """Return the score in hundredths."""
        return round(100 * min(max(self.cause.score, 0.0), 1.0))

    def title(self) -> Markup:
        """Return what the cause is."""
        return self.sheet.wording.text(self.cause.rule.title)

    def why(self) -> Markup:
        """Return how it comes about."""
        return self.sheet.wording.text(self.cause.rule.why)

    def benign_when(self) -> Markup:
        """Return when it is no fault."""
        benign = self.cause.rule.benign_when
        if not benign.en:
            return Markup("")
        said = (words("cause.benign_when", text=words.of(benign)) for words in ALL_WORDS)
        return self.sheet.wording.text(Text(*said))

    def explain(self) -> Markup:
        """Return where more is said about it."""
        return self.sheet.wording.text(table()["page.explain"].fill({"code": self.code}))

    def domain(self) -> Markup:
        """Return where in a training set-up it lives."""
        return self.sheet.wording.words(f"domain.{self.cause.rule.domain.value}")

    def explains(self) -> str:
        """Return the ids of the findings it would explain."""
        return id_ranges(self.cause.findings)

    def sources(self) -> list[str]:
        """Return where the rule comes from."""
        return [one_line(source) for source in self.cause.rule.sources]

    def evidence(self) -> list[tuple[str, list[Markup]]]:
        """Return verdict and statements: for it, against it, open."""
        found = split(self.cause.evidence)
        return [(v.value, [self._statement(e) for e in found[v]]) for v in Verdict if found[v]]

    def _statement(self, evidence: Evidence) -> Markup:
        said = self.sheet.wording.text(evidence.statement)
        lacking = [Markup("<code>{}</code>").format(name(item)) for item in missing([evidence])]
        if not lacking:
            return said
        listed = Markup(", ").join(lacking)
        heading = self.sheet.wording.words("page.not_logged")
        return Markup('{} <span class="lacking">{} {}</span>').format(said, heading, listed)
