"""Pages of the rules and of the labels they explain, in both languages."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from _generate.markup import page, prose, source, table
from _generate.words import WORDS
from spikedoc.classifier.wording import meaning
from spikedoc.cli.knowledge import rules_for
from spikedoc.evidence.base import Probe
from spikedoc.model.knowledge import Action, Catalog, Domain, Rule, Weight
from spikedoc.model.label import FORMS, Kind
from spikedoc.renderers._strings import Words
from spikedoc.text import FieldValue, Language, Text

# Folder of the rule pages and page of the labels, and the way from there to the other language.
RULES: Final = {Language.EN: "reference/rules", Language.ZH: "zh/rules"}
LABELS: Final = {Language.EN: "reference/labels.md", Language.ZH: "zh/labels.md"}
OTHER: Final = {Language.EN: Language.ZH, Language.ZH: Language.EN}
CATALOG: Final = "spikedoc/rules/catalog"
NEIGHBOURS: Final = 8  # rules named under "See also": more would be the index over again


@dataclass(frozen=True, slots=True)
class RulePages:
    """The catalogue in one language, as pages."""

    catalog: Catalog
    probes: Mapping[str, Probe]
    language: Language

    def pages(self) -> Iterator[tuple[str, str]]:
        """Yield path under docs/ and text of every page."""
        folder = RULES[self.language]
        yield LABELS[self.language], self.labels()
        yield f"{folder}/README.md", self.index()
        for rule in self.catalog.rules:
            yield f"{folder}/{rule.name}.md", self.rule(rule)

    def rule(self, rule: Rule) -> str:
        """Return the page of one rule; its headings and their order are always the same."""
        blocks = [f"# {rule.code} · {self._of(rule.title)}", self._facts(rule)]
        sections = {
            "meaning": self._meaning(rule),
            "why": self._of(rule.why),
            "benign": self._of(rule.benign_when),
            "probes": self._questions(rule.weights),
            "checks": "\n".join(f"{i}. {self._action(a)}" for i, a in enumerate(rule.checks, 1)),
            "fixes": "\n".join(f"- {self._action(a)}" for a in rule.fixes),
            "example": self._example(rule),
            "sources": "\n".join(f"- {source(s)}" for s in rule.sources) or self._w("no_sources"),
            "see_also": self._neighbours(rule),
        }
        for key, text in sections.items():
            blocks += [f"## {self._w(key)}", text]
        return page(f"{CATALOG}/{rule.name}.toml", blocks)

    def index(self) -> str:
        """Return the list of all rules, one table per domain."""
        blocks = [
            f"# {self._w('rules')}",
            self._switch(f"{_up(RULES[self.language])}{RULES[OTHER[self.language]]}/README.md"),
            self._w("rules_intro", count=len(self.catalog.rules)),
        ]
        head = [self._w("code"), self._w("title"), self._w("explains")]
        for domain in Domain:
            rules = [rule for rule in self.catalog.rules if rule.domain is domain]
            if rules:
                rows = [
                    [self._link(rule), self._of(rule.title), self._kinds(rule)] for rule in rules
                ]
                blocks += [f"## {self._domain(domain)}", table(head, rows)]
        return page(CATALOG, blocks)

    def labels(self) -> str:
        """Return the page of all labels with the rules that may explain each kind."""
        here = LABELS[self.language]
        other = LABELS[OTHER[self.language]]
        blocks = [
            f"# {self._w('labels')}",
            self._switch(_up(here.rpartition("/")[0]) + other),
            self._w("labels_intro"),
        ]
        for kind in Kind:
            title, text = meaning(kind.value)
            blocks += [f"## {kind.value}", f"**{self._of(title)}**{self._colon()}{self._of(text)}"]
            blocks += [self._forms(kind), self._explaining(kind)]
        return page("spikedoc/classifier/labels.toml", blocks)

    def _facts(self, rule: Rule) -> str:
        other = RULES[OTHER[self.language]]
        switch = self._switch(f"{_up(RULES[self.language])}{other}/{rule.name}.md")
        return f"{self._domain(rule.domain)} · {self._w('cause_id')} `{rule.cause}` · {switch}"

    def _meaning(self, rule: Rule) -> str:
        rows = []
        for label in sorted(rule.priors, key=lambda key: (-rule.priors[key], key)):
            title = self._of(meaning(label)[0])
            rows.append([self._with(title, self._label_link(label)), str(rule.priors[label])])
        head = [self._w("label"), self._w("prior")]
        stop = "。" if self.language is Language.ZH else "."
        lead = f"{self._of(rule.title)}{stop}"
        return f"{lead}\n\n{self._w('may_explain')}\n\n{table(head, rows)}"

    def _questions(self, weights: Sequence[Weight]) -> str:
        head = [self._w(key) for key in ("question", "yes", "no", "needs")]
        rows = []
        for weight in weights:
            probe = self.probes[weight.probe]
            needs = [f"`{name}`" for name in (*probe.needs, *probe.needs_config)]
            rows.append(
                [
                    self._with(self._of(probe.question), f"`{probe.name}`"),
                    *self._strengths(weight),
                    ", ".join(needs) or "–",
                ]
            )
        return f"{self._w('questions_intro')}\n\n{table(head, rows)}"

    def _strengths(self, weight: Weight) -> tuple[str, str]:
        """What a yes and what a no say about the rule."""
        supports = self._strength("supports", weight.supports)
        refutes = self._strength("refutes", weight.refutes)
        return (refutes, supports) if weight.inverted else (supports, refutes)

    def _strength(self, verdict: str, weight: int) -> str:
        return self._words(f"strength.{verdict}_{weight}" if weight else "strength.none")

    def _action(self, action: Action) -> str:
        text = self._of(action.unmeasured or action.text)
        return self._with(text, self._words(f"cost.{action.cost.value}")) if action.cost else text

    def _example(self, rule: Rule) -> str:
        if not rule.example:
            return self._w("no_example")
        lang = " --lang zh" if self.language is Language.ZH else ""
        command = f"spikedoc analyze sample_logs/{rule.example}{lang}"
        return f"{self._w('example_intro')}\n\n```\n{command}\n```"

    def _neighbours(self, rule: Rule) -> str:
        others = [other for other in self.catalog.rules if other is not rule]
        same_cause = [other for other in others if other.cause == rule.cause]
        same_domain = [o for o in others if o.domain is rule.domain and o not in same_cause]
        # Of one domain those come first that share most findings: they are confused most easily.
        same_domain.sort(key=lambda o: (-len(set(o.priors) & set(rule.priors)), o.code))
        found = [(o, "same_cause") for o in same_cause] + [(o, "same_domain") for o in same_domain]
        lines = [
            self._with(f"- {self._link(other)} {self._of(other.title)}", self._w(why))
            for other, why in found[:NEIGHBOURS]
        ]
        return "\n".join([*lines, "", self._w("no_neighbours")]).strip()

    def _forms(self, kind: Kind) -> str:
        forms = FORMS.get(kind, ())
        if not forms:
            return ""
        rows = []
        for form in forms:
            title, text = meaning(f"{kind.value}/{form.value}")
            rows.append([f"`{form.value}`", self._of(title), self._of(text)])
        return table([self._w("form"), self._w("name"), self._w("meaning")], rows)

    def _explaining(self, kind: Kind) -> str:
        rules = rules_for(self.catalog, kind.value)
        if not rules:
            return self._w("no_rules")
        folder = RULES[self.language].rpartition("/")[2]
        lines = [
            f"- [{rule.code}]({folder}/{rule.name}.md) {self._of(rule.title)}" for rule in rules
        ]
        return "\n".join([self._w("rules_for"), "", *lines])

    def _kinds(self, rule: Rule) -> str:
        kinds = dict.fromkeys(label.partition("/")[0] for label in rule.priors)
        return ", ".join(self._label_link(kind) for kind in kinds)

    def _label_link(self, label: str) -> str:
        return f"[`{label}`](../labels.md#{label.partition('/')[0]})"

    def _link(self, rule: Rule) -> str:
        return f"[{rule.code}]({rule.name}.md)"

    def _switch(self, path: str) -> str:
        return self._w("other_language", path=path)

    def _domain(self, domain: Domain) -> str:
        name = self._words(f"domain.{domain.value}")
        return name[0].upper() + name[1:]

    def _with(self, text: str, aside: str) -> str:
        """Return the text with an aside in the brackets of the language."""
        return f"{text}（{aside}）" if self.language is Language.ZH else f"{text} ({aside})"

    def _colon(self) -> str:
        return self._words("list.colon")

    @property
    def _words(self) -> Words:
        return Words(self.language)

    def _w(self, key: str, **values: FieldValue) -> str:
        return WORDS[key].fill(values).get(self.language)

    def _of(self, text: Text) -> str:
        return prose(text.get(self.language))


def _up(folder: str) -> str:
    """Return the way from a folder under docs/ up to docs/."""
    return "../" * len(folder.split("/"))
