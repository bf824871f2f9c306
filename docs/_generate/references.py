"""Names that a page may point to, each checked against the program itself."""

from __future__ import annotations

import ast
import dataclasses
import re
import typing
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

import spikedoc.detectors
import spikedoc.evidence
import spikedoc.figures
import spikedoc.readers
import spikedoc.renderers
from _generate.console import ROOT
from spikedoc.cli.entry import commands
from spikedoc.model.knowledge import Catalog
from spikedoc.model.label import FORMS, Kind
from spikedoc.model.report import Report
from spikedoc.plugins import discover
from spikedoc.rules.loader import load_catalog

NODE: Final = re.compile(r"(tests/[\w/]+\.py)::((?:\w+::)?\w+)(?:\[(.+)\])?")


@dataclass(frozen=True, slots=True)
class Reference:
    """A name of some kind, e.g. rule SD401 or probe lr_jumped_up."""

    kind: str
    name: str

    @classmethod
    def of(cls, text: str) -> Reference:
        """Return the reference written as `kind name`."""
        kind, _, name = text.partition(" ")
        return cls(kind, name)


class Names:
    """All that the program has, by kind."""

    def __init__(self, catalog: Catalog | None = None) -> None:
        """Collect the names once."""
        catalog = load_catalog() if catalog is None else catalog
        self.rules = {rule.code: rule.name for rule in catalog.rules}
        self._known: Mapping[str, frozenset[str]] = {
            "detector": frozenset(discover(spikedoc.detectors, "DETECTOR")),
            "label": frozenset(_labels()),
            "probe": frozenset(_all_names(spikedoc.evidence, "PROBES")),
            "figure": frozenset(_all_names(spikedoc.figures, "FIGURES")),
            "rule": frozenset(self.rules),
            "check": frozenset(catalog.checks),
            "fix": frozenset(catalog.fixes),
            "stage": frozenset(
                f"{kind}/{stage.id}" for kind, all_ in catalog.procedures.items() for stage in all_
            ),
            "command": frozenset(commands.commands),
            "format": frozenset(discover(spikedoc.renderers, "RENDERER")),
            "reader": frozenset(discover(spikedoc.readers, "READER")),
        }

    def has(self, reference: Reference) -> bool:
        """Tell whether the program has this."""
        kind, name = reference.kind, reference.name
        if kind == "report":
            return has_field(Report, name)
        if kind == "page":
            return (ROOT / "docs" / name).is_file()
        if kind == "sample":
            return (ROOT / "sample_logs" / name / "case.toml").is_file()
        if kind == "command":
            return _has_command(name)
        return name in self._known.get(kind, ())

    def link(self, reference: Reference) -> str:
        """Return the reference as Markdown, seen from docs/reference/."""
        kind, name = reference.kind, reference.name
        if kind == "rule":
            return f"[{name}](rules/{self.rules[name]}.md)"
        if kind == "label":
            return f"[`{name}`](labels.md#{name.partition('/')[0]})"
        if kind == "page":
            return f"[{name}](../{name})"
        if kind == "sample":
            return f"[{name}](../../sample_logs/{name}/case.toml)"
        if kind == "command":
            return f"[`spikedoc {name}`](cli.md#spikedoc-{name.split()[0]})"
        return f"`{name}`"


def _labels() -> list[str]:
    return [
        label
        for kind in Kind
        for label in (kind.value, *(f"{kind}/{form}" for form in FORMS.get(kind, ())))
    ]


def _all_names(package: typing.Any, constant: str) -> list[str]:
    return [one.name for family in discover(package, constant).values() for one in family]


def _has_command(text: str) -> bool:
    name, _, option = text.partition(" ")
    command = commands.commands.get(name)
    if command is None or not option:
        return command is not None
    return any(option in parameter.opts for parameter in command.params)


def has_field(owner: type, path: str) -> bool:
    """Tell whether a chain of dataclass fields like `causes.rule.domain` exists."""
    for name in path.split("."):
        if not dataclasses.is_dataclass(owner):
            return False
        fields = typing.get_type_hints(owner)
        if name not in {field.name for field in dataclasses.fields(owner)}:
            return False
        owner = _element(fields[name])
    return True


def _element(kind: typing.Any) -> type:
    """Return the dataclass inside `X | None`, `tuple[X, ...]` or `Mapping[str, X]`, else `kind`."""
    inside = [arg for arg in typing.get_args(kind) if dataclasses.is_dataclass(arg)]
    return typing.cast("type", inside[-1] if inside else kind)


def test_exists(node: str) -> bool:
    """Tell whether a test like `tests/x/test_y.py::TestZ::test_a[case]` is there.

    The case must be a sample log or a string that the test file or tests/synth.py spells out.
    """
    match = NODE.fullmatch(node)
    if match is None or match[2] not in _tests(ROOT / match[1]):
        return False
    case = match[3]
    if case is None or (ROOT / "sample_logs" / case).is_dir():
        return True
    files = (ROOT / match[1], ROOT / "tests/synth.py")
    return any(f'"{case}"' in file.read_text("utf-8") for file in files)


@cache
def _tests(file: Path) -> frozenset[str]:
    if not file.is_file():
        return frozenset()
    found = set()
    for node in ast.parse(file.read_text("utf-8")).body:
        if isinstance(node, ast.FunctionDef):
            found.add(node.name)
        elif isinstance(node, ast.ClassDef):
            inner = [one.name for one in node.body if isinstance(one, ast.FunctionDef)]
            found |= {f"{node.name}::{name}" for name in inner}
    return frozenset(name for name in found if name.split("::")[-1].startswith("test_"))
