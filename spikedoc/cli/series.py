"""`spikedoc series`: what was found in logs, before anything is judged."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from spikedoc.cli.analyze import parse_mapping
from spikedoc.cli.display import (
    DEFAULT_WIDTH,
    console_has_unicode,
    deliver,
    say,
    terminal_width,
    use_color,
)
from spikedoc.cli.inputs import gather, map_option, read_runs
from spikedoc.cli.session import Session
from spikedoc.cli.spreadsheet import text_cell
from spikedoc.model.json_text import safe

if TYPE_CHECKING:
    from spikedoc.model.run import Run, Series

TEXT: Final = "text"
JSON: Final = "json"
CSV: Final = "csv"
GAP: Final = "  "


@dataclass(frozen=True, slots=True)
class Row:
    """One series as the list shows it."""

    run: str
    name: str
    role: str
    tag: str
    points: int
    first_step: int | None
    last_step: int | None
    stride: float
    nan: int
    infinite: int
    source: str


@click.command(short_help="List the series found in logs.")
@click.argument("paths", nargs=-1, required=True, metavar="PATH...")
@click.option(
    "--format",
    "format_",
    type=click.Choice([TEXT, JSON, CSV]),
    default=TEXT,
    show_default=True,
    help="A table for people, or one for programs.",
)
@click.option(
    "-o",
    "--output",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Write the list to FILE instead of the standard output.",
)
@map_option
@click.option("-q", "--quiet", is_flag=True, help="Only the list and errors.")
@click.option("--traceback", is_flag=True, help="Show where spikedoc failed, should it fail.")
@click.pass_obj
def series(
    session: Session,
    *,
    paths: tuple[str, ...],
    format_: str,
    output: Path | None,
    mapping: tuple[str, ...],
    quiet: bool,
    traceback: bool,
) -> int:
    """List what was found at each PATH: runs, tags and their roles, points, steps.

    A PATH is a log file, a folder of them, a pattern, or - for the standard input.
    """
    session.traceback = traceback
    read = partial(_read, mapping=parse_mapping(mapping))
    gathered = gather(paths, read, session, quiet=quiet)
    if gathered.results:
        deliver(WRITERS[format_](gathered.results, output), output)
    if not quiet:
        for run in gathered.results if format_ != JSON else ():
            for note in notes_of(run):
                say(f"{run.name}: {note}")
    return gathered.code


def _read(path: str, progress: Any, *, mapping: dict[str, str]) -> Sequence[Run]:
    return read_runs(path, mapping, progress)


def notes_of(run: Run) -> list[str]:
    """Return what readers skipped or guessed, each note once."""
    own = [note for source in run.sources for note in source.notes]
    return list(dict.fromkeys([*own, *run.notes]))


def rows_of(run: Run) -> list[Row]:
    """Return one row for each series of the run."""
    return [_row(run, one) for one in run.series]


def _row(run: Run, one: Series) -> Row:
    import numpy as np

    return Row(
        run=run.name,
        name=one.name,
        role=one.metric.value,
        tag=one.tag,
        points=len(one),
        first_step=int(one.steps[0]) if len(one) else None,
        last_step=int(one.steps[-1]) if len(one) else None,
        stride=one.stride,
        nan=int(np.isnan(one.values).sum()),
        infinite=int(np.isinf(one.values).sum()),
        source=one.source,
    )


def as_json(runs: Sequence[Run], _: Path | None) -> str:
    """Return an array with an object for each run."""
    listed = [
        {
            "run": run.name,
            "path": run.path,
            "series": [
                {key: value for key, value in asdict(row).items() if key != "run"}
                for row in rows_of(run)
            ],
            "restarts": [asdict(restart) for restart in run.restarts],
            "config": {key: _strict(value) for key, value in run.config.items()},
            "checkpoints": [asdict(checkpoint) for checkpoint in run.checkpoints],
            "sources": [asdict(source) for source in run.sources],
            "notes": notes_of(run),
        }
        for run in runs
    ]
    text = json.dumps(listed, indent=2, ensure_ascii=not console_has_unicode(), allow_nan=False)
    return safe(text) + "\n"


def _strict(value: object) -> object:
    """The value; a number that JSON lacks becomes its name."""
    is_number = isinstance(value, float) and value - value == 0
    return value if is_number or not isinstance(value, float) else str(value)


def as_csv(runs: Sequence[Run], _: Path | None) -> str:
    """Return a table with a header; names that look like formulas are marked as text."""
    rows = [asdict(row) for run in runs for row in rows_of(run)]
    lines = [",".join(Row.__dataclass_fields__)]
    lines += [",".join(_cell(value) for value in row.values()) for row in rows]
    return "\n".join(lines) + "\n"


def _cell(value: object) -> str:
    if value is None:
        return ""
    return text_cell(value) if isinstance(value, str) else f"{value}"


COLUMNS: Final = ("role", "tag", "points", "steps", "stride", "not finite", "source")
_RIGHT: Final = frozenset({"points", "steps", "stride", "not finite"})


def as_text(runs: Sequence[Run], output: Path | None) -> str:
    """Return a table for each run; drawn on a terminal, plain columns elsewhere."""
    if output is None and sys.stdout is not None and sys.stdout.isatty():
        return _drawn(runs)
    return "\n".join(_plain(run) for run in runs)


def _cells(run: Run) -> list[tuple[str, ...]]:
    from spikedoc.cleaning import name

    return [
        (
            row.name.partition(":")[0],
            name(row.tag),
            f"{row.points}",
            "" if row.first_step is None else f"{row.first_step}..{row.last_step}",
            f"{row.stride:g}",
            _not_finite(row),
            name(row.source),
        )
        for row in rows_of(run)
    ]


def _not_finite(row: Row) -> str:
    told = ((row.nan, "nan"), (row.infinite, "inf"))
    return ", ".join(f"{count} {word}" for count, word in told if count)


def _plain(run: Run) -> str:
    from spikedoc.cleaning import name

    table = [COLUMNS, *_cells(run)]
    widths = [max(len(row[i]) for row in table) for i in range(len(COLUMNS))]
    lines = [GAP.join(_padded(row, widths)).rstrip() for row in table]
    return "\n".join([f"{name(run.name)}: {len(run.series)} series", *lines]) + "\n"


def _padded(row: Sequence[str], widths: Sequence[int]) -> Iterable[str]:
    for column, cell, width in zip(COLUMNS, row, widths, strict=True):
        yield cell.rjust(width) if column in _RIGHT else cell.ljust(width)


def _drawn(runs: Sequence[Run]) -> str:
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    from spikedoc.cleaning import name

    console = Console(
        width=terminal_width() or DEFAULT_WIDTH,
        force_terminal=True,
        no_color=not use_color("auto", None, os.environ),
    )
    with console.capture() as captured:
        for run in runs:
            title = Text(f"{name(run.name)}: {len(run.series)} series", style="bold")
            table = Table(box=box.SIMPLE if console_has_unicode() else box.ASCII)
            for column in COLUMNS:
                justify: Any = "right" if column in _RIGHT else "left"
                table.add_column(column, justify=justify, overflow="fold")
            for cells in _cells(run):
                table.add_row(*(Text(cell) for cell in cells))
            console.print(title)
            console.print(table)
    return captured.get()


WRITERS: Final = {TEXT: as_text, JSON: as_json, CSV: as_csv}
