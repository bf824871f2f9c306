"""The catalogue of causes, read from TOML files and checked; every mistake names file and key."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Final, cast

from spikedoc.errors import CatalogError, reason_of
from spikedoc.model.knowledge import (
    SETTINGS,
    Action,
    Catalog,
    Cost,
    Domain,
    Rule,
    Stage,
    Turn,
    Weight,
)
from spikedoc.model.label import FORMS, Kind
from spikedoc.rules import mistakes
from spikedoc.rules.table import Table
from spikedoc.text import FieldValue, Text, listed

SHARED: Final = "shared.toml"  # checks and fixes used by several rules
PROCEDURES: Final = "procedures.toml"  # ordered stages per symptom
RULE_NAME: Final = re.compile(r"([A-Z]{2,5}[0-9]{3})-([a-z0-9]+(?:-[a-z0-9]+)*)\.toml")
OWN_PREFIX: Final = "SD"  # codes of the project itself; their hundreds digit is the domain
DOMAIN_OF_DIGIT: Final = {
    "1": (Domain.DATA,),
    "2": (Domain.OPTIMIZER,),
    "3": (Domain.SCHEDULE,),
    "4": (Domain.NUMERICS,),
    "5": (Domain.STATE,),
    "6": (Domain.OBJECTIVE,),
    "7": (Domain.DISTRIBUTED,),
    "8": (Domain.RESUME, Domain.OUTSIDE),
    "9": (Domain.BENIGN,),
}
MAX_WEIGHT: Final = 3  # 1 weak, 2 moderate, 3 strong: nobody can defend a finer scale
MAX_PRIOR: Final = 9
MAX_BYTES: Final = 1_000_000  # a rule file is a few kilobytes; anything larger is a mistake
PLACEHOLDER: Final = re.compile(r"\{([^{}|]*)(?:\|[^{}|]+\|[^{}|]+)?\}")  # {n}, {n|step|steps}

RULE_KEYS: Final = (
    *("cause", "domain", "checks", "fixes", "prior"),
    *("title", "why", "benign_when", "evidence"),
)
RULE_OPTIONS: Final = ("aliases", "sources", "example", "check", "fix")
ACTION_KEYS: Final = ("en", "zh")
ACTION_OPTIONS: Final = ("figures", "unmeasured", "settings", "turns_lr")


def load_catalog(extra: Path | None = None) -> Catalog:
    """Return the catalogue of the package, with the rule files of folder `extra` added.

    Raises CatalogError naming file and key for anything malformed, unknown, missing or duplicate.
    """
    tables = [*_read(resources.files("spikedoc.rules") / "catalog")]
    if extra is not None:
        if not extra.is_dir():
            raise CatalogError(extra, "", mistakes.NOT_A_FOLDER)
        tables += _read(extra)
    actions = _Actions()
    for table in tables:
        if _name(table) == SHARED:
            table.expect((), ("check", "fix"))
            actions.add(table)
    rules = [_rule(table, actions) for table in tables if _name(table) not in (SHARED, PROCEDURES)]
    rules.sort(key=lambda rule: rule.code)
    _refuse_duplicates(rules)
    procedures: dict[str, tuple[Stage, ...]] = {}
    for table in tables:
        if _name(table) == PROCEDURES:
            procedures.update(_procedures(table, actions))
    return Catalog(tuple(rules), actions.checks, actions.fixes, procedures)


def _read(folder: Traversable | Path) -> Iterator[Table]:
    for file in sorted(folder.iterdir(), key=lambda file: file.name):
        if not file.name.endswith(".toml"):
            continue
        if file.name not in (SHARED, PROCEDURES) and not RULE_NAME.fullmatch(file.name):
            raise CatalogError(str(file), "", mistakes.WRONG_NAME)
        yield Table(str(file), _parse(file))


def _parse(file: Traversable | Path) -> dict[str, object]:
    if not file.is_file():  # a named pipe would be waited for
        raise CatalogError(str(file), "", mistakes.NO_FILE)
    try:
        with file.open("rb") as stream:
            content = stream.read(MAX_BYTES + 1)
    except OSError as error:
        told = mistakes.UNREADABLE.fill({"reason": reason_of(error)})
        raise CatalogError(str(file), "", told) from error
    if len(content) > MAX_BYTES:
        raise CatalogError(str(file), "", mistakes.TOO_LARGE.fill({"bytes": MAX_BYTES}))
    try:
        return tomllib.loads(content.decode("utf-8"))
    except UnicodeDecodeError as error:
        raise CatalogError(str(file), "", mistakes.NOT_UTF8) from error
    except (ValueError, RecursionError) as error:  # also of Python at an endless number
        told = mistakes.NO_TOML.fill({"reason": str(error)})
        raise CatalogError(str(file), "", told) from error


def _name(table: Table) -> str:
    return Path(table.source).name


@dataclass(slots=True)
class _Actions:
    """Checks and fixes read so far, each with the file that defines it."""

    checks: dict[str, Action] = field(default_factory=dict)
    fixes: dict[str, Action] = field(default_factory=dict)
    origin: dict[str, str] = field(default_factory=dict)

    def add(self, table: Table) -> None:
        """Add the `check` and `fix` tables of a file."""
        for kind, known in (("check", self.checks), ("fix", self.fixes)):
            group = table.table(kind)
            for id_ in group.content:
                group.check_id(id_, id_)
                if id_ in self.origin:
                    file = Path(self.origin[id_]).name
                    group.fail(id_, mistakes.DEFINED_TWICE.fill({"file": file}))
                known[id_] = _action(group.table(id_), id_, kind)
                self.origin[id_] = table.source

    def resolve(self, table: Table, key: str, kind: str) -> tuple[Action, ...]:
        """Return the actions that `key` of a table names, in its order."""
        known = self.checks if kind == "check" else self.fixes
        found = []
        for id_ in table.strings(key):
            if id_ not in known:
                table.fail(key, mistakes.NO_SUCH_ID.fill({"kind": kind, "id": repr(id_)}))
            origin = self.origin[id_]
            if origin != table.source and Path(origin).name != SHARED:
                values = {"id": repr(id_), "file": Path(origin).name, "shared": SHARED}
                table.fail(key, mistakes.NOT_SHARED.fill(values))
            found.append(known[id_])
        return tuple(found)


def _action(table: Table, id_: str, kind: str) -> Action:
    table.expect((*ACTION_KEYS, "cost") if kind == "check" else ACTION_KEYS, ACTION_OPTIONS)
    text, figures = table.text(), table.strings("figures")
    _check_placeholders(table, text, figures)
    unmeasured = table.text("unmeasured") if "unmeasured" in table.content else None
    if (unmeasured is None) != (not figures):
        table.fail("unmeasured", mistakes.UNMEASURED if figures else mistakes.WITH_FIGURES)
    if unmeasured is not None:
        _check_placeholders(table.table("unmeasured"), unmeasured, ())
    cost = table.choice("cost", Cost) if kind == "check" else None
    turn = table.choice("turns_lr", Turn) if "turns_lr" in table.content else None
    return Action(id_, text, unmeasured, cost, figures, _settings(table.table("settings")), turn)


def _settings(table: Table) -> dict[str, FieldValue]:
    """Return what an action sets: a number, or the name of a figure in braces."""
    found: dict[str, FieldValue] = {}
    for name, value in table.content.items():
        if name not in SETTINGS:
            known = listed(sorted(SETTINGS))
            table.fail(name, mistakes.NO_SETTING.fill({"known": known}))
        is_figure = isinstance(value, str) and PLACEHOLDER.fullmatch(value) is not None
        if not is_figure and not isinstance(value, int | float):
            table.fail(name, mistakes.WRONG_VALUE)
        found[name] = cast("FieldValue", value)
    return found


def _check_placeholders(table: Table, text: Text, figures: tuple[str, ...]) -> None:
    for language, words in (("en", text.en), ("zh", text.zh)):
        used = PLACEHOLDER.findall(words)
        if not {"{", "}"}.isdisjoint(PLACEHOLDER.sub("", words)):
            table.fail(language, mistakes.STRAY_BRACE)
        for name in used:
            if name not in figures:
                table.fail(language, mistakes.UNLISTED_FIGURE.fill({"name": f"{{{name}}}"}))
        for name in figures:
            if name not in used:
                table.fail(language, mistakes.UNUSED_FIGURE.fill({"name": repr(name)}))


def _rule(table: Table, actions: _Actions) -> Rule:
    named = RULE_NAME.fullmatch(_name(table))
    code, slug = named.groups() if named else ("", "")
    table.expect(RULE_KEYS, RULE_OPTIONS)
    actions.add(table)
    rule = Rule(
        code=code,
        slug=slug,
        cause=table.identifier("cause"),
        domain=_domain(table, code),
        priors=_priors(table.table("prior")),
        title=table.text("title"),
        why=table.text("why"),
        benign_when=table.text("benign_when"),
        weights=_weights(table),
        checks=actions.resolve(table, "checks", "check"),
        fixes=actions.resolve(table, "fixes", "fix"),
        sources=table.strings("sources"),
        aliases=table.strings("aliases"),
        example=table.string("example", ""),
    )
    _refuse_unused(table, rule)
    return rule


def _domain(table: Table, code: str) -> Domain:
    domain = table.choice("domain", Domain)
    if code.startswith(OWN_PREFIX):
        allowed = DOMAIN_OF_DIGIT.get(code.removeprefix(OWN_PREFIX)[:1], ())
        if domain not in allowed:
            values = {"domain": repr(domain.value), "code": code}
            table.fail("domain", mistakes.WRONG_DOMAIN.fill(values))
    return domain


def _priors(table: Table) -> dict[str, int]:
    if not table.content:
        table.fail("", mistakes.NEEDS_KIND)
    for key in table.content:
        kind, slash, form = key.partition("/")
        if kind not in list(Kind):
            table.fail(key, mistakes.NO_KIND.fill({"kind": repr(kind)}))
        if slash and form not in [f.value for f in FORMS.get(Kind(kind), ())]:
            table.fail(key, mistakes.NO_FORM.fill({"form": repr(form), "kind": kind}))
    return {key: table.integer(key, 1, MAX_PRIOR) for key in table.content}


def _weights(table: Table) -> tuple[Weight, ...]:
    weights = []
    for entry in table.tables("evidence"):
        entry.expect(("probe", "supports", "refutes"), ("inverted",))
        supports = entry.integer("supports", 0, MAX_WEIGHT)
        refutes = entry.integer("refutes", 0, MAX_WEIGHT)
        if not supports and not refutes:
            entry.fail("", mistakes.SAYS_NOTHING)
        weights.append(Weight(entry.string("probe"), supports, refutes, entry.flag("inverted")))
    probes = [weight.probe for weight in weights]
    if not probes:
        table.fail("evidence", mistakes.NEEDS_PROBE)
    for probe in probes:
        if probes.count(probe) > 1:
            table.fail("evidence", mistakes.NAMED_TWICE.fill({"name": repr(probe)}))
    return tuple(weights)


def _refuse_unused(table: Table, rule: Rule) -> None:
    for kind, used in (("check", rule.checks), ("fix", rule.fixes)):
        if not used:
            table.fail("checks" if kind == "check" else "fixes", mistakes.NEEDS_ONE)
        ids = {action.id for action in used}
        for id_ in table.table(kind).content:
            if id_ not in ids:
                table.fail(f"{kind}.{id_}", mistakes.NOT_USED)


def _refuse_duplicates(rules: Iterable[Rule]) -> None:
    owner: dict[str, str] = {}
    for rule in rules:
        for name in (rule.code, rule.slug, *rule.aliases):
            key = name.lower()
            if key in owner:
                told = mistakes.IS_ALSO.fill({"name": repr(name), "owner": owner[key]})
                raise CatalogError(f"{rule.name}.toml", "", told)
            owner[key] = rule.name


def _procedures(table: Table, actions: _Actions) -> dict[str, tuple[Stage, ...]]:
    table.expect(("procedure",))
    found: dict[str, tuple[Stage, ...]] = {}
    group = table.table("procedure")
    for name in group.content:
        procedure = group.table(name)
        procedure.expect(("kinds", "stage"))
        stages = tuple(_stage(entry, actions) for entry in procedure.tables("stage"))
        for kind in procedure.strings("kinds"):
            if kind not in list(Kind):
                procedure.fail("kinds", mistakes.NO_KIND.fill({"kind": repr(kind)}))
            if kind in found:
                procedure.fail("kinds", mistakes.HAS_PROCEDURE.fill({"kind": repr(kind)}))
            found[kind] = stages
    return found


def _stage(table: Table, actions: _Actions) -> Stage:
    table.expect(("id", "title", "checks"))
    checks = actions.resolve(table, "checks", "check")
    return Stage(table.identifier("id"), table.text("title"), tuple(check.id for check in checks))
