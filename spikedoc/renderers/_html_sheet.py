"""One run as the page shows it: the report's parts in reading order, as markup in two languages."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from markupsafe import Markup

from spikedoc.cleaning import name, one_line
from spikedoc.model.label import Status
from spikedoc.model.metric import spoken
from spikedoc.model.report import Advice, Report
from spikedoc.renderers._closing import lost_lines
from spikedoc.renderers._html_cards import CauseCard, FindingCard
from spikedoc.renderers._html_events import EventLane, event_lanes
from spikedoc.renderers._html_table import FoldView, Row, loss_rows
from spikedoc.renderers._html_text import ALL_WORDS, Wording
from spikedoc.renderers._strings import table
from spikedoc.renderers._wording import (
    causes_to_tell,
    facts,
    fixes_of,
    notes_of,
    public_path,
    to_cure,
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
    settings: tuple[str, ...]  # the same in the words of the framework, a line each


class Sheet:
    """What the templates ask of one run; `number` counts the runs of the page from 1."""

    def __init__(self, report: Report, number: int, *, is_reduced: bool = False) -> None:
        """Nothing is computed before it is asked for; a reduced one lacks curves by choice."""
        self.report = report
        self.number = number
        self.wording = Wording(report.run.path)
        self.name = name(report.run.name)
        self.status = report.status.value
        self.is_healthy = report.status in (Status.HEALTHY, Status.UNKNOWN)
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
        found = fixes_of(to_cure(self.report.causes, CAUSES_FIXED))
        return [self._step(fix, codes, Markup("")) for fix, codes in found]

    def _step(self, advice: Advice, codes: Sequence[str], stage: Markup) -> Step:
        cost = self.wording.words(f"cost.{advice.cost.value}") if advice.cost else Markup("")
        text, settings = self.wording.advice(advice.text), self._code(advice.settings)
        return Step(stage, text, cost, tuple(map(name, codes)), settings)

    def _code(self, lines: Sequence[str]) -> tuple[str, ...]:
        """Return lines of code as they are indented, without control signs and private folders."""
        found = []
        for line in lines:
            said = without_user_paths(line, self.report.run.path)
            indent = len(said) - len(said.lstrip(" "))
            found.append(" " * indent + one_line(said))
        return tuple(found)

    def guards(self) -> list[tuple[Markup, Markup]]:
        """Return the guards, each with what it would have done."""
        text = self.wording.text
        return [(text(one.title), text(one.statement)) for one in self.report.guards]

    def snippet(self) -> str:
        """Return the code that logs what was missing, empty when there is none."""
        return "\n".join(self._code(self.report.snippet))

    def framework(self) -> str:
        """Return the framework in whose words settings are given, empty when none was seen."""
        known = self.report.framework
        return name(known.name) if known is not None else ""

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

    def gaps(self) -> list[tuple[str, Markup, str]]:
        """Return what was not logged, what it would have told, and what logs it next time."""
        text = self.wording.text
        return [(name(g.signal), text(g.would_tell), one_line(g.log)) for g in self.report.gaps]

    def limits(self) -> list[Markup]:
        """Return what the log cannot show."""
        return [self.wording.text(limit) for limit in self.report.limits]

    def notes(self) -> list[Markup]:
        """Return what readers skipped or guessed."""
        return [self.wording.text(note) for note in notes_of(self.report)]

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
        """Return the name of the main curve, that of which `rows` is the table."""
        charts, plot = self.report.charts, self.report.plot
        if charts is not None and charts.curves:
            return name(spoken(charts.curves[0].signal))
        return name(spoken(plot.signal)) if plot else ""
