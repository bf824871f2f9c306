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
    from spikedoc.model.knowledge import Catalog, Rule
    from spikedoc.renderers._rule_page import KnowledgePage

TEXT: Final = "text"
JSON: Final = "json"

UNKNOWN: Final = Text("no such rule, cause or label; {hint}", "没有这样的规则、原因或标签；{hint}")


@click.command()
@click.argument("id_", metavar="ID")
@with_options(text_options, rules_option, traceback_option)
def explain(id_: str, lang: str | None, color: str, width: int | None, rules: Path | None) -> int:
    """Explain a rule, a cause or a label.

    ID is the code or slug of a rule (SD401, fp16-overflow), a cause, or a label of a finding
    (nonfinite, nonfinite/persistent).
    """
    from spikedoc.rules.loader import load_catalog

    catalog = load_catalog(rules)
    page = _new_page(lang, color, width)
    found = find_rules(catalog, id_)
    for rule in found:
        page.add_rule(rule, _questions())
    label = find_label(id_)
    if label is not None:
        page.add_label(id_, *label, rules_for(catalog, id_))
    if not found and label is None:
        raise UsageError(UNKNOWN.fill({"hint": _hint(catalog, id_)}), at=id_)
    write_out(page.text())
    return EXIT_FINE


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

    known = {kind.value for kind in Kind}
    for rule in catalog.rules:
        known |= {rule.code, rule.slug, rule.cause}
    import difflib  # only to help after a mistake

    near = difflib.get_close_matches(id_, sorted(known), n=1)
    near = near or difflib.get_close_matches(id_.upper(), sorted(known), n=1)
    return did_you_mean(near[0]) if near else Text("see: spikedoc rules", "参见：spikedoc rules")


def _questions() -> Mapping[str, Text]:
    """Return the question of every probe."""
    import spikedoc.evidence
    from spikedoc.plugins import discover

    families = discover(spikedoc.evidence, "PROBES")
    return {probe.name: probe.question for family in families.values() for probe in family}


def _new_page(lang: str | None, color: str, width: int | None) -> KnowledgePage:
    from spikedoc.renderers._rule_page import KnowledgePage

    display = Display(TEXT, None, choose_language(lang), color, width)
    return KnowledgePage(look_of(display))
