"""The page of the rooms and floors, drawn from the code itself."""

from __future__ import annotations

import ast
import importlib
import tomllib
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Final

import grimp

from _generate import markup
from _generate.console import ROOT
from spikedoc.plugins import discover

PACKAGE: Final = "spikedoc"
# The constant that a module of the room exports to be found.
REGISTRIES: Final[Mapping[str, str]] = {
    "detectors": "DETECTOR",
    "evidence": "PROBES",
    "figures": "FIGURES",
    "readers": "READER",
    "renderers": "RENDERER",
}
OPENING: Final = """\
A room is a package or a module right below `spikedoc/`. Rooms stand on floors: a room may import
from the floors below it, never from one above and never from a room beside it. Import-linter holds
every import to that; this page is drawn from its settings (`[tool.importlinter]` in
`pyproject.toml`) and from the imports as they are."""
FLOW: Final = """\
What flows through the rooms are frozen dataclasses of `model`:

```
path ─ ingest/readers ─▶ Run ─ detectors ─▶ Detection ─ classifier ─▶ Anomaly
Anomaly ─ evidence ─▶ Evidence ─ rules ─▶ Finding ─ assembly ─▶ Report ─ renderers ─▶ text
```"""
CLOSING: Final = """\
A plug-in is one file in a room that has plug-ins; [CONTRIBUTING](../../CONTRIBUTING.md) has the
recipes. What the rooms do to a log is told in
[how a run is diagnosed](how-a-run-is-diagnosed.md)."""


def page() -> str:
    """Return the page."""
    stacked = floors()
    rows = [
        [str(len(stacked) - place), f"`{room}`", _about(room), _plug_ins(room), _imports_of(room)]
        for place, floor in enumerate(stacked)
        for room in floor
    ]
    table = markup.table(["Floor", "Room", "What it is", "Plug-ins", "Imports from"], rows)
    return markup.page(
        "pyproject.toml and the imports",
        ["# Rooms and floors", OPENING, _picture(stacked), FLOW, table, CLOSING],
    )


def floors() -> list[tuple[str, ...]]:
    """Return the rooms of each floor, the highest first, as import-linter holds them."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    contracts = settings["tool"]["importlinter"]["contracts"]
    layers = next(one["layers"] for one in contracts if one["type"] == "layers")
    return [tuple(name.strip() for name in layer.split("|")) for layer in layers]


def _picture(stacked: Sequence[Sequence[str]]) -> str:
    """Return the floors as boxes, every floor as wide as the widest."""
    texts = ["   ".join(floor) for floor in stacked]
    width = max(len(text) for text in texts)
    line = "─" * (width + 2)
    body = f"\n├{line}┤\n".join(f"│ {text:^{width}} │" for text in texts)
    return f"```\n┌{line}┐\n{body}\n└{line}┘\n```"


def _about(room: str) -> str:
    folder = ROOT / PACKAGE / room
    file = folder / "__init__.py" if folder.is_dir() else folder.with_suffix(".py")
    docstring = ast.get_docstring(ast.parse(file.read_text(encoding="utf-8"))) or ""
    return docstring.partition("\n\n")[0].replace("\n", " ")


def _plug_ins(room: str) -> str:
    if room == "rules":
        return f"{len(list((ROOT / PACKAGE / room).rglob('SD*.toml')))} rules in TOML"
    if room not in REGISTRIES:
        return ""
    found = discover(importlib.import_module(f"{PACKAGE}.{room}"), REGISTRIES[room])
    return f"{len(found)} modules with `{REGISTRIES[room]}`"


def _imports_of(room: str) -> str:
    order = [other for floor in floors() for other in floor]
    names = sorted(_imports()[room], key=order.index)
    return ", ".join(f"`{name}`" for name in names) or "nothing"


@cache
def _graph() -> grimp.ImportGraph:
    return grimp.build_graph(PACKAGE, cache_dir=None)


@cache
def _imports() -> Mapping[str, frozenset[str]]:
    """Return room → the other rooms that its modules import from."""
    found: dict[str, set[str]] = {room: set() for floor in floors() for room in floor}
    for module in _graph().modules:
        for imported in _graph().find_modules_directly_imported_by(module):
            room, other = _room_of(module), _room_of(imported)
            if room in found and other in found and room != other:
                found[room].add(other)
    return {room: frozenset(others) for room, others in found.items()}


def _room_of(module: str) -> str:
    return module.split(".")[1] if "." in module else ""
