"""A summary as text: drawn for a terminal, in Markdown, as JSON."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import asdict
from typing import Final

from spikedoc.fleet.record import RUNS, State
from spikedoc.fleet.summary import Group, Summary, label
from spikedoc.fleet.wording import MORE, Table, headline, tables
from spikedoc.renderers.base import RenderOptions
from spikedoc.text import Language, Text
from spikedoc.version import VERSION

SCHEMA: Final = "spikedoc-scan-summary/1"


Titles = Mapping[str, Text]  # of rules, by code


def as_text(summary: Summary, titles: Titles, look: RenderOptions) -> str:
    """Return the tables drawn for a terminal."""
    from rich.console import Console
    from rich.text import Text as Styled

    console = Console(
        width=look.width, force_terminal=look.color, no_color=not look.color, highlight=False
    )
    with console.capture() as captured:
        console.print(Styled(_spelt(headline(summary, look.language), look), style="bold"))
        for table in tables(summary, titles, look.language):
            console.print()
            console.print(Styled(_spelt(table.title.get(look.language), look), style="bold"))
            console.print(_drawn(table, look))
            if table.left_out:
                console.print(Styled(f"  {_spelt(_more(table, look.language), look)}"))
    return "\n".join(line.rstrip() for line in captured.get().splitlines()) + "\n"


def _spelt(text: str, look: RenderOptions) -> str:
    from spikedoc.cleaning import ascii_spelling

    return text if look.unicode else ascii_spelling(text)


def _drawn(table: Table, look: RenderOptions) -> object:
    from rich import box
    from rich.table import Table as Drawn
    from rich.text import Text as Styled

    drawn = Drawn(
        box=box.SIMPLE_HEAD if look.unicode else box.ASCII, show_edge=False, pad_edge=False
    )
    for column in table.columns:
        drawn.add_column(
            _spelt(column.head.get(look.language), look),
            justify="right" if column.is_number else "left",
            overflow="fold",
            no_wrap=column.is_number,
        )
    for row in table.rows:
        drawn.add_row(*(Styled(_spelt(cell, look)) for cell in row))
    return drawn


def _more(table: Table, language: Language) -> str:
    return MORE.fill({"count": table.left_out}).get(language)


def markdown(summary: Summary, titles: Titles, look: RenderOptions) -> str:
    """Return the tables in Markdown."""
    from spikedoc.renderers._github import prose
    from spikedoc.renderers._github import table as drawn

    parts = [f"### spikedoc scan\n\n{prose(headline(summary, look.language))}"]
    for table in tables(summary, titles, look.language):
        heads = [column.head.get(look.language) for column in table.columns]
        body = drawn(heads, [[prose(cell) for cell in row] for row in table.rows])
        parts.append(f"#### {table.title.get(look.language)}\n\n{body.rstrip()}")
        if table.left_out:
            parts.append(_more(table, look.language))
    return "\n\n".join(parts) + "\n"


def as_json(summary: Summary, titles: Titles, look: RenderOptions) -> str:  # noqa: ARG001  of one form
    """Return all figures, with every cause, project and week."""
    values = {
        "schema": SCHEMA,
        "spikedoc": VERSION,
        "runs": summary.runs,
        "counts": _counts(summary.counts, tuple(State)),
        "points": summary.points,
        "bytes": summary.bytes,
        "causes": [
            asdict(one) | {"title": asdict(titles[one.rule]) if one.rule in titles else None}
            for one in summary.causes
        ],
        "coincidences": [{"project": one.project} | asdict(one.place) for one in summary.shared],
        "projects": [_group("project", group) for group in summary.projects],
        "weeks": [_group("week", group) for group in summary.weeks],
        "broken": [
            {"path": one.path, "run": label(one), "status": one.status.value, "error": one.error}
            for one in summary.broken
        ],
    }
    return json.dumps(values, indent=2, ensure_ascii=True, allow_nan=False) + "\n"


def _group(kind: str, group: Group) -> dict[str, object]:
    return {kind: group.name or None, "runs": group.runs, **_counts(group.counts, RUNS)}


def _counts(counts: Mapping[State, int], states: tuple[State, ...]) -> dict[str, int]:
    return {state.value: counts.get(state, 0) for state in states}


FORMATS: Final[Mapping[str, Callable[[Summary, Titles, RenderOptions], str]]] = {
    "text": as_text,
    "markdown": markdown,
    "json": as_json,
}
