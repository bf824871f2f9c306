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

    def add_label(self, key: str, title: Text, meaning: Text, rules: Sequence[Rule]) -> None:
        """Add what a label means and the rules that may explain it, likeliest first."""
        self.page.blank()
        self.page.add((one_line(self.words.of(title)), "strong"), first=[(f"{key}  ", "code")])
        self.page.add(*code_spans(self.words.of(meaning)))
        if rules:
            self.page.heading(self.words("rule.rules"))
            self.add_list(rules)

    def add_list(self, rules: Sequence[Rule]) -> None:
        """Add one line per rule: code, slug, title."""
        wide = max(width_of(rule.name) for rule in rules)
        for rule in rules:
            first: list[Span] = [(INDENT, ""), (pad(name(rule.name), wide), "code"), (INDENT, "")]
            self.page.add(*code_spans(one_line(self.words.of(rule.title))), first=first)

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
