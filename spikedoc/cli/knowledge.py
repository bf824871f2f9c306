"""`spikedoc explain` and `spikedoc rules`: what spikedoc knows, without any log."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from spikedoc.cli.display import (
    Display,
    choose_language,
    console_has_unicode,
    look_of,
    write_out,
)
from spikedoc.cli.options import (
    FormatName,
    rules_option,
    text_options,
    traceback_option,
    with_options,
)
from spikedoc.cli.session import EXIT_FINE
from spikedoc.errors import UsageError, did_you_mean
from spikedoc.text import Text

if TYPE_CHECKING:
    from spikedoc.evidence.base import Probe
    from spikedoc.model.knowledge import Catalog, Rule
    from spikedoc.renderers._rule_page import KnowledgePage

# Fewer letters stand in too many questions; more questions are no answer.
FEWEST_LETTERS: Final = 4
MOST_QUESTIONS: Final = 5
TEXT: Final = "text"
JSON: Final = "json"

UNKNOWN: Final = Text(
    "no such rule, cause, label, role or question; {hint}",
    "没有这样的规则、原因、标签、角色或问题；{hint}",
)


@click.command()
@click.argument("id_", metavar="ID")
@with_options(text_options, rules_option, traceback_option)
def explain(id_: str, lang: str | None, color: str, width: int | None, rules: Path | None) -> int:
    """Explain a rule, a cause, a label, a role or a question.

    ID is the code or slug of a rule (SD401, fp16-overflow), a cause, a kind or label of a finding
    (nonfinite, nonfinite/persistent), the role of a series (grad_norm), or a question of the
    evidence: its name in the JSON report, or words of it in quotes.
    """
    from spikedoc.rules.loader import load_catalog

    catalog = load_catalog(rules)
    page = _new_page(lang, color, width)
    told = [
        _add_label(page, catalog, id_),
        _add_rules(page, catalog, id_),
        _add_role(page, id_),
        _add_questions(page, catalog, id_),
    ]
    if not any(told):
        raise UsageError(UNKNOWN.fill({"hint": _hint(catalog, id_)}), at=id_)
    write_out(page.text())
    return EXIT_FINE


def _add_rules(page: KnowledgePage, catalog: Catalog, id_: str) -> bool:
    found = find_rules(catalog, id_)
    questions = {name: probe.question for name, probe in _probes().items()} if found else {}
    for rule in found:
        page.add_rule(rule, questions)
    return bool(found)


def _add_label(page: KnowledgePage, catalog: Catalog, id_: str) -> bool:
    label = find_label(id_)
    if label is None:
        return False
    page.add_label(id_, *label, rules_for(catalog, id_), forms_of(id_))
    return True


def _add_role(page: KnowledgePage, id_: str) -> bool:
    from spikedoc.model.role import ROLES

    role = next((metric for metric in ROLES if metric.value == id_.lower()), None)
    if role is None:
        return False
    asked = {name: probe.question for name, probe in _probes().items() if role in probe.needs}
    page.add_role(role.value, ROLES[role], asked)
    return True


def _add_questions(page: KnowledgePage, catalog: Catalog, id_: str) -> bool:
    found = find_questions(_probes(), id_)
    for probe in found:
        lacking = (*(metric.value for metric in probe.needs), *probe.needs_config)
        asking = [(r, w) for r in catalog.rules for w in r.weights if w.probe == probe.name]
        page.add_question(probe.name, probe.question, lacking, asking)
    return bool(found)


def find_questions(probes: Mapping[str, Probe], id_: str) -> list[Probe]:
    """Return the question of this name, else those that hold these words, by name."""
    if id_.lower() in probes:
        return [probes[id_.lower()]]
    words = id_.casefold().strip(" ?？")
    if len(words) < FEWEST_LETTERS:
        return []
    found = [
        probe
        for probe in probes.values()
        if words in probe.question.en.casefold() or words in probe.question.zh.casefold()
    ]
    return found if len(found) <= MOST_QUESTIONS else []


def forms_of(id_: str) -> list[tuple[str, Text]]:
    """Return label and title of the forms of a kind; none of a label that is no kind."""
    from spikedoc.classifier.wording import labels

    key = f"{id_.lower()}/"
    return [(name, one.title) for name, one in labels().items() if name.startswith(key)]


@click.command("rules")
@with_options(
    click.option(
        "--format",
        "format_",
        type=FormatName([TEXT, JSON]),
        default=TEXT,
        show_default=True,
        help="Lines for people, or an array for programs.",
    ),
    text_options,
    rules_option,
    traceback_option,
)
def list_rules(
    format_: str, lang: str | None, color: str, width: int | None, rules: Path | None
) -> int:
    """List every rule: code, slug and title."""
    from spikedoc.rules.loader import load_catalog

    catalog = load_catalog(rules)
    if format_ == JSON:
        listed = [as_json(rule) for rule in catalog.rules]
        write_out(json.dumps(listed, indent=2, ensure_ascii=not console_has_unicode()) + "\n")
        return EXIT_FINE
    page = _new_page(lang, color, width)
    page.add_list(catalog.rules)
    write_out(page.text())
    return EXIT_FINE


def as_json(rule: Rule) -> dict[str, Any]:
    """Return what a program wants to know about a rule."""
    return {
        "code": rule.code,
        "slug": rule.slug,
        "cause": rule.cause,
        "domain": rule.domain.value,
        "title": {"en": rule.title.en, "zh": rule.title.zh},
        "labels": dict(rule.priors),
        "aliases": list(rule.aliases),
    }


def find_rules(catalog: Catalog, id_: str) -> list[Rule]:
    """Return the rule with this code, slug or alias, then the other rules of this cause."""
    named = catalog.rule(id_)
    same_cause = [rule for rule in catalog.rules if rule.cause == id_.lower() and rule != named]
    return [named, *same_cause] if named else same_cause


def find_label(id_: str) -> tuple[Text, Text] | None:
    """Return title and meaning of a label, None when there is no such label."""
    from spikedoc.classifier.wording import meaning

    try:
        return meaning(id_.lower())
    except KeyError:
        return None


def rules_for(catalog: Catalog, label: str) -> list[Rule]:
    """Return the rules that may explain a label, likeliest first; a kind covers all its forms."""
    key = label.lower()

    def prior(rule: Rule) -> int:
        own = rule.priors.get(key, rule.priors.get(key.partition("/")[0], 0))
        forms = [value for name, value in rule.priors.items() if name.startswith(f"{key}/")]
        return max([own, *forms])

    found = [rule for rule in catalog.rules if prior(rule) > 0]
    return sorted(found, key=lambda rule: (-prior(rule), rule.code))


def _hint(catalog: Catalog, id_: str) -> Text:
    from spikedoc.model.label import Kind
    from spikedoc.model.metric import Metric

    known = {*Kind, *Metric, *_probes()}
    for rule in catalog.rules:
        known |= {rule.code, rule.slug, rule.cause}
    import difflib  # only to help after a mistake

    near = difflib.get_close_matches(id_, sorted(known), n=1)
    near = near or difflib.get_close_matches(id_.upper(), sorted(known), n=1)
    return did_you_mean(near[0]) if near else Text("see: spikedoc rules", "参见：spikedoc rules")


def _probes() -> Mapping[str, Probe]:
    """Return every probe by its name."""
    import spikedoc.evidence
    from spikedoc.plugins import discover

    families = discover(spikedoc.evidence, "PROBES")
    return {probe.name: probe for family in families.values() for probe in family}


def _new_page(lang: str | None, color: str, width: int | None) -> KnowledgePage:
    from spikedoc.renderers._rule_page import KnowledgePage

    display = Display(TEXT, None, choose_language(lang), color, width)
    return KnowledgePage(look_of(display))
