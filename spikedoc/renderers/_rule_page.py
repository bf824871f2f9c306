"""The knowledge itself for a terminal: a rule, a label, the list of rules."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from spikedoc.cleaning import lines, name, one_line
from spikedoc.model.knowledge import Action, Rule, Weight
from spikedoc.renderers._page import Page, Span, code_spans, pad, width_of
from spikedoc.renderers._screen import NARROWEST, WIDEST
from spikedoc.renderers._strings import Words
from spikedoc.renderers.base import RenderOptions
from spikedoc.text import Text

INDENT: Final = "  "
BULLET: Final = "  • "


class KnowledgePage:
    """A page about what spikedoc knows, independent of any run."""

    def __init__(self, options: RenderOptions) -> None:
        """Start with an empty page of the width asked for."""
        self.words = Words(options.language)
        width = min(max(options.width, NARROWEST), WIDEST)
        self.page = Page(width, options.color, options.unicode)

    def text(self) -> str:
        """Return the page."""
        return self.page.text()

    def add_rule(self, rule: Rule, questions: Mapping[str, Text]) -> None:
        """Add everything about one rule; `questions` gives the question of each probe."""
        words = self.words
        self.page.blank()
        self.page.add(
            (one_line(words.of(rule.title)), "strong"), first=[(f"{name(rule.code)}  ", "code")]
        )
        dot = " · "
        facts = [rule.slug, words(f"domain.{rule.domain.value}")]
        if rule.cause != rule.slug:
            facts.append(rule.cause)
        self.page.add((dot.join(facts), "faint"))
        labels = sorted(rule.priors, key=lambda key: (-rule.priors[key], key))
        self._paragraph("rule.labels", words("list.comma").join(labels))
        self._paragraph("rule.why", words.of(rule.why))
        self._paragraph("rule.benign", words.of(rule.benign_when))
        self._probes(rule.weights, questions)
        self._actions("rule.checks", rule.checks)
        self._actions("rule.fixes", rule.fixes)
        self._list("rule.sources", rule.sources)

    def add_label(
        self,
        key: str,
        title: Text,
        meaning: Text,
        rules: Sequence[Rule],
        forms: Sequence[tuple[str, Text]] = (),
    ) -> None:
        """Add what a label means, the forms of a kind, and the rules that may explain it."""
        self._title(key, title)
        self.page.add(*code_spans(self.words.of(meaning)))
        if forms:
            self.page.heading(self.words("rule.forms"))
            self._named(forms)
        if rules:
            self.page.heading(self.words("rule.rules"))
            self.add_list(rules)

    def add_role(self, key: str, meaning: Text, questions: Mapping[str, Text]) -> None:
        """Add what the role of a series means and what is asked of such a series."""
        self._title(key, meaning)
        if questions:
            self.page.heading(self.words("rule.asked"))
            self._named(sorted(questions.items()))

    def add_question(
        self,
        key: str,
        question: Text,
        needs: Sequence[str],
        rules: Sequence[tuple[Rule, Weight]],
    ) -> None:
        """Add a question of the evidence, what must be logged for it, and what its answer means."""
        words = self.words
        self._title(key, question)
        if needs:
            listed = words("list.comma").join(needs)
            self.page.add(*code_spans(words("rule.needs", names=listed)))
        self.page.heading(words("rule.meant"))
        for rule, weight in rules:
            yes, no = ("supports", "refutes")[:: -1 if weight.inverted else 1]
            said = words(
                "rule.answer",
                title=words.of(rule.title),
                supports=self._strength(yes, getattr(weight, yes)),
                refutes=self._strength(no, getattr(weight, no)),
            )
            self.page.add(
                *code_spans(one_line(said)), first=[(f"{INDENT}{rule.code}{INDENT}", "code")]
            )

    def _title(self, key: str, title: Text) -> None:
        self.page.blank()
        self.page.add((one_line(self.words.of(title)), "strong"), first=[(f"{key}  ", "code")])

    def _named(self, pairs: Sequence[tuple[str, Text]]) -> None:
        wide = max(width_of(key) for key, _ in pairs)
        for key, text in pairs:
            first: list[Span] = [(INDENT, ""), (pad(name(key), wide), "code"), (INDENT, "")]
            self.page.add(*code_spans(one_line(self.words.of(text))), first=first)

    def add_list(self, rules: Sequence[Rule]) -> None:
        """Add one line per rule: code, slug, title."""
        self._named([(rule.name, rule.title) for rule in rules])

    def _paragraph(self, key: str, text: str) -> None:
        if text:
            self.page.heading(self.words(key))
            for line in lines(text):
                self.page.add(*code_spans(line), first=[(INDENT, "")])

    def _list(self, key: str, texts: Iterable[str]) -> None:
        found = [one_line(text) for text in texts]
        if found:
            self.page.heading(self.words(key))
            for text in found:
                self.page.add(*code_spans(text), first=[(BULLET, "")])

    def _actions(self, key: str, actions: Sequence[Action]) -> None:
        shown = []
        for action in actions:
            text = self.words.of(action.unmeasured or action.text)
            cost = f" [{self.words(f'cost.{action.cost.value}')}]" if action.cost else ""
            shown.append(text + cost)
        self._list(key, shown)

    def _probes(self, weights: Sequence[Weight], questions: Mapping[str, Text]) -> None:
        shown = []
        for weight in weights:
            question = questions.get(weight.probe)
            asked = self.words.of(question) if question else weight.probe
            shown.append(
                self.words(
                    "rule.probe",
                    question=asked,
                    supports=self._strength("supports", weight.supports),
                    refutes=self._strength("refutes", weight.refutes),
                )
            )
        self._list("rule.probes", shown)

    def _strength(self, verdict: str, weight: int) -> str:
        return self.words(f"strength.{verdict}_{weight}" if weight else "strength.none")
