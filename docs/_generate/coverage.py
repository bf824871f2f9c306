"""The page that says what answers each thing asked of a diagnosis, and which test proves it."""

from __future__ import annotations

import os.path
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Final

from _generate.markup import page, prose, table
from _generate.references import Names, Reference, test_exists

DATA: Final = Path(__file__).with_name("mission.toml")
PAGE: Final = "docs/reference/mission.md"
# Rows of each article, numbered from 01.
ROWS: Final = {"A": 78, "B": 62, "C": 71}
ARTICLES: Final = {
    "A": "Article A: spikes of the loss",
    "B": "Article B: surges late in training",
    "C": "Article C: no convergence, oscillation, NaN",
}


class Ask(StrEnum):
    """What a row asks for."""

    DETECT = "detect"
    COMPUTE = "compute"
    ADVISE = "advise"
    COMPARE = "compare"
    CASE = "case"


TITLES: Final = {
    Ask.DETECT: "To be seen in the log",
    Ask.COMPUTE: "To be computed",
    Ask.ADVISE: "To be advised",
    Ask.COMPARE: "To be compared between runs",
    Ask.CASE: "Cases to be diagnosed",
}
KEYS: Final = {"kind", "asks", "by", "tests", "differs", "missing"}


@dataclass(frozen=True, slots=True)
class Row:
    """One thing asked; `differs` says where spikedoc answers otherwise, `missing` what it lacks."""

    id: str
    kind: Ask
    asks: str
    by: tuple[Reference, ...]
    tests: tuple[str, ...]
    differs: str = ""
    missing: str = ""


def load(path: Path = DATA) -> tuple[Row, ...]:
    """Return the rows in the order of the file; ValueError names a row that is malformed."""
    with path.open("rb") as file:
        return tuple(_row(name, entry) for name, entry in tomllib.load(file).items())


def _row(name: str, entry: dict[str, object]) -> Row:
    unknown = sorted(set(entry) - KEYS)
    if unknown:
        raise ValueError(f"{name}: unknown keys {unknown}")
    return Row(
        name,
        Ask(str(entry["kind"])),
        str(entry["asks"]),
        tuple(Reference.of(text) for text in _strings(entry.get("by"))),
        _strings(entry.get("tests")),
        str(entry.get("differs", "")),
        str(entry.get("missing", "")),
    )


def _strings(value: object) -> tuple[str, ...]:
    return tuple(str(item) for item in value) if isinstance(value, list) else ()


def wanted() -> list[str]:
    """Return every row id in order: A01 … C71."""
    return [f"{article}{n:02d}" for article, count in ROWS.items() for n in range(1, count + 1)]


def problems(rows: Sequence[Row], names: Names) -> Iterator[str]:
    """Yield what is wrong: ids missing or out of place, references and tests that lead nowhere."""
    ids = [row.id for row in rows]
    yield from (f"{name}: missing" for name in wanted() if name not in ids)
    yield from (f"{name}: no such row" for name in ids if name not in wanted())
    yield from (f"{name}: twice" for name in sorted(set(ids)) if ids.count(name) > 1)
    if ids != sorted(ids):
        yield "the rows are not in order"
    for row in rows:
        if not row.by and not row.missing:
            yield f"{row.id}: neither answered nor left out with a reason"
        if bool(row.by) != bool(row.tests):
            yield f"{row.id}: answers and tests go together"
        yield from (f"{row.id}: no {r.kind} {r.name!r}" for r in row.by if not names.has(r))
        yield from (f"{row.id}: no test {node}" for node in row.tests if not test_exists(node))


def coverage(rows: Sequence[Row], names: Names) -> str:
    """Return the page; ValueError lists what leads nowhere."""
    found = list(problems(rows, names))
    if found:
        raise ValueError("; ".join(found))
    blocks = ["# What is asked of a diagnosis, and what answers it", _INTRO, _counted(rows)]
    for article, title in ARTICLES.items():
        blocks.append(f"## {title}")
        for kind in Ask:
            part = [row for row in rows if row.id[0] == article and row.kind is kind]
            if part:
                blocks += [f"### {article}: {TITLES[kind]}", _table(part, names)]
    return page("docs/_generate/mission.toml", blocks)


_INTRO = (
    "Three articles on training failures were taken apart into single things that a program which"
    " reads the logs afterwards should do: one on spikes of the loss (A), one on surges late in"
    " training (B), one on runs that do not converge, oscillate or end in NaN (C). Each row below"
    " is one of them. Where an article is wrong or claims too much the row says how spikedoc"
    " differs; what it does not do is said as well. A test fails when a row names a detector,"
    " question, rule, check, report field, command or test that does not exist."
)


def _counted(rows: Sequence[Row]) -> str:
    full = sum(1 for row in rows if row.by and not row.missing)
    part = sum(1 for row in rows if row.by and row.missing)
    none = len(rows) - full - part
    return f"{len(rows)} rows: {full} answered, {part} answered in part, {none} left out."


def _table(rows: Sequence[Row], names: Names) -> str:
    head = ["Row", "What is asked", "What answers it", "Proof"]
    return table(head, [[r.id, prose(r.asks), _answer(r, names), _proof(r)] for r in rows])


def _answer(row: Row, names: Names) -> str:
    parts = []
    for kind in dict.fromkeys(r.kind for r in row.by):
        links = ", ".join(names.link(r) for r in row.by if r.kind == kind)
        parts.append(f"{kind} {links}")
    parts += [f"*Differs:* {prose(row.differs)}"] if row.differs else []
    if row.missing:
        parts.append(f"*{'Missing' if row.by else 'Left out'}:* {prose(row.missing)}")
    return "<br>".join(parts)


def _proof(row: Row) -> str:
    links = []
    for node in row.tests:
        file, _, name = node.partition("::")
        path = os.path.relpath(file, Path(PAGE).parent)
        links.append(f"[{Path(file).stem}]({path})`::{name}`")
    return "<br>".join(links) or "–"
