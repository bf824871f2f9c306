"""One run as the page shows it: the report's parts in reading order, as markup in two languages."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from markupsafe import Markup

from spikedoc.model.evidence import Evidence, Verdict
from spikedoc.model.label import Status
from spikedoc.model.report import Advice, Cause, Finding, Report
from spikedoc.renderers._clean import name, one_line
from spikedoc.renderers._html_events import EventLane, event_lanes
from spikedoc.renderers._html_table import FoldView, Row, loss_rows
from spikedoc.renderers._html_text import ALL_WORDS, Wording
from spikedoc.renderers._strings import table
from spikedoc.renderers._wording import (
    causes_to_tell,
    facts,
    fixes_of,
    id_ranges,
    label,
    lost_lines,
    missing,
    notes_of,
    place,
    public_path,
    score,
    split,
    verdict_line,
    without_user_paths,
)
from spikedoc.text import Text

# Causes whose fixes are listed: further ones are unlikely enough to be looked up.
CAUSES_FIXED: Final = 3
SETTINGS_MOST: Final = 200


@dataclass(frozen=True, slots=True)
class Step:
    """One check or fix: what it belongs to, what to do, the causes it concerns."""

    stage: Markup
    text: Markup
    cost: Markup
    causes: tuple[str, ...]


class Sheet:
    """What the templates ask of one run; `number` counts the runs of the page from 1."""

    def __init__(self, report: Report, number: int, *, is_reduced: bool = False) -> None:
        """Nothing is computed before it is asked for; a reduced one lacks curves by choice."""
        self.report = report
        self.number = number
        self.wording = Wording(report.run.path)
        self.name = name(report.run.name)
        self.status = report.status.value
        self.is_healthy = report.status is Status.HEALTHY
        self.is_reduced = is_reduced
        self.has_curves = bool(report.charts and report.charts.curves) or report.plot is not None

    def id(self, part: str) -> str:
        """Return an id that no other run of the page has."""
        return f"r{self.number}-{part}"

    @property
    def limitation(self) -> Text | None:
        """Return why fewer curves than could be are drawn, None when all are."""
        if self.is_reduced:
            return table()["page.reduced"]
        return table()["page.saved"] if self.report.charts is None else None

    def headline(self) -> Markup:
        """Return the verdict in one sentence."""
        return self.wording.text(self.report.headline)

    def verdict(self) -> Markup:
        """Return the line on the likeliest cause, empty when there is none."""
        return self.wording.both(lambda words: verdict_line(self.report, words))

    def facts(self) -> list[Markup]:
        """Return what there was to look at, as short phrases."""
        said = [facts(self.report, words) for words in ALL_WORDS]
        return [self.wording.plain(Text(*pair)) for pair in zip(*said, strict=True)]

    def findings(self) -> list[FindingCard]:
        """Return the cards of the findings, the most important first."""
        return [FindingCard(self, finding) for finding in self.report.findings]

    def findings_heading(self) -> str:
        """Return the key of the heading above the findings."""
        return "heading.seen" if self.is_healthy else "heading.findings"

    def causes(self) -> tuple[str, list[CauseCard]]:
        """Return the key of the heading and the cards of the causes, the likeliest first."""
        heading, causes = causes_to_tell(self.report, verbose=not self.is_healthy)
        return heading, [CauseCard(self, cause) for cause in causes]

    def checklist(self) -> list[Step]:
        """Return the checks in the order to do them."""
        steps, before = [], None
        for item in self.report.checklist:
            stage = Markup("") if item.stage == before else self.wording.text(item.stage)
            steps.append(self._step(item.check, item.causes, stage))
            before = item.stage
        return steps

    def fixes(self) -> list[Step]:
        """Return the fixes of the likeliest causes, each once."""
        if self.is_healthy:
            return []
        ranked = sorted(self.report.causes, key=lambda cause: cause.rank)
        found = fixes_of(ranked[:CAUSES_FIXED])
        return [self._step(fix, codes, Markup("")) for fix, codes in found]

    def _step(self, advice: Advice, codes: Sequence[str], stage: Markup) -> Step:
        cost = self.wording.words(f"cost.{advice.cost.value}") if advice.cost else Markup("")
        return Step(stage, self.wording.advice(advice.text), cost, tuple(map(name, codes)))

    def rollback(self) -> list[Markup]:
        """Return where to go back to, why, and what is lost; empty when there is no need."""
        back = self.report.rollback
        if back is None:
            return []
        if back.checkpoint:
            saved = name(public_path(back.checkpoint, self.report.run.path))
            where = self.wording.words("rollback.checkpoint", step=back.step, checkpoint=saved)
        else:
            where = self.wording.words("rollback.none", step=back.step)
        said = [lost_lines(back, words) for words in ALL_WORDS]
        lost = [self.wording.plain(Text(*pair)) for pair in zip(*said, strict=True)]
        return [where, self.wording.text(back.reason), *lost]

    def gaps(self) -> list[tuple[str, Markup]]:
        """Return what was not logged, with what it would have told."""
        return [(name(g.signal), self.wording.text(g.would_tell)) for g in self.report.gaps]

    def limits(self) -> list[Markup]:
        """Return what the log cannot show."""
        return [self.wording.text(limit) for limit in self.report.limits]

    def notes(self) -> list[Markup]:
        """Return what readers skipped or guessed."""
        return [self.wording.line(note) for note in notes_of(self.report)]

    def settings(self) -> list[tuple[str, str]]:
        """Return the settings found beside the log."""
        run = self.report.run
        items = list(run.config.items())[:SETTINGS_MOST]
        return [(name(k), name(without_user_paths(str(v), run.path))) for k, v in items]

    def lanes(self) -> list[EventLane]:
        """Return the events of the run by kind."""
        return event_lanes(self.report)

    def folds(self) -> list[FoldView]:
        """Return the folded curves of periodic findings."""
        folded = self.report.charts.folds if self.report.charts else ()
        return [FoldView.of(fold, self.wording) for fold in folded]

    def rows(self) -> list[Row]:
        """Return the main curve as a table."""
        return loss_rows(self.report)

    def main_signal(self) -> str:
        """Return the name of the main curve."""
        return name(self.report.plot.signal) if self.report.plot else ""


@dataclass(frozen=True, slots=True)
class FindingCard:
    """One finding."""

    sheet: Sheet
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

    sheet: Sheet
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
