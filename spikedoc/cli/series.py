"""`spikedoc series`: what was found in logs, before anything is judged."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Final

import click

from spikedoc.cli.analyze import parse_mapping
from spikedoc.cli.display import Display, deliver, display_of, look_of
from spikedoc.cli.inputs import gather, keep_inputs, read_runs, thinned_notes
from spikedoc.cli.messages import say, say_written
from spikedoc.cli.options import (
    budget_of,
    budget_options,
    format_option,
    map_option,
    output_option,
    quiet_option,
    text_options,
    traceback_option,
    with_options,
)
from spikedoc.cli.session import Session
from spikedoc.cli.spreadsheet import text_cell
from spikedoc.model.budget import Budget
from spikedoc.model.json_text import safe
from spikedoc.text import Language, Text

if TYPE_CHECKING:
    from spikedoc.model.run import Run, Series
    from spikedoc.renderers.base import RenderOptions

TEXT: Final = "text"
JSON: Final = "json"
CSV: Final = "csv"
FORMATS: Final = (TEXT, CSV, JSON)
GAP: Final = "  "
LIST: Final = Text("list", "列表")
NOTE: Final = Text("{run}: {note}", "{run}：{note}")


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
@with_options(
    format_option("list", FORMATS),
    output_option("list"),
    text_options,
    quiet_option("list"),
    map_option,
    budget_options,
    traceback_option,
)
@click.pass_obj
def series(session: Session, /, *, paths: tuple[str, ...], **options: Any) -> int:
    """List what was found at each PATH: runs, tags and their roles, points, steps.

    A PATH is a log file, a folder of them, a pattern, or - for the standard input.
    """
    display = display_of(options, FORMATS)
    read = partial(_read, mapping=parse_mapping(options["mapping"]), budget=budget_of(options))
    gathered = gather(paths, read, session, quiet=options["quiet"])
    runs = gathered.results
    if runs:
        logs = (source.path for run in runs for source in run.sources)
        keep_inputs([display.output], [*paths, *logs])
        deliver(WRITERS[display.format](runs, display), display.output)
    if not options["quiet"]:
        for run in runs if display.format != JSON else ():
            for note in notes_of(run):
                say(NOTE.fill({"run": run.name, "note": note}))
        if runs:
            say_written(LIST, display.output)
    return gathered.code


def _read(path: str, progress: Any, *, mapping: dict[str, str], budget: Budget) -> Sequence[Run]:
    return read_runs(path, mapping, progress, budget)


def notes_of(run: Run) -> list[Text]:
    """Return what readers skipped or guessed, each note once."""
    own = [note for source in run.sources for note in source.notes]
    return list(dict.fromkeys([*own, *run.notes, *thinned_notes(run)]))


def _notes(notes: Iterable[Text]) -> dict[str, list[str]]:
    told = list(notes)
    return {"notes": [note.en for note in told], "notes_zh": [note.zh for note in told]}


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


def as_json(runs: Sequence[Run], display: Display) -> str:
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
            "sources": [{**asdict(source), **_notes(source.notes)} for source in run.sources],
            **_notes(notes_of(run)),
        }
        for run in runs
    ]
    ascii_only = not look_of(display).unicode
    text = json.dumps(listed, indent=2, ensure_ascii=ascii_only, allow_nan=False)
    return safe(text) + "\n"


def _strict(value: object) -> object:
    """The value; a number that JSON lacks becomes its name."""
    is_number = isinstance(value, float) and value - value == 0
    return value if is_number or not isinstance(value, float) else str(value)


def as_csv(runs: Sequence[Run], _: Display) -> str:
    """Return a table with a header; names that look like formulas are marked as text."""
    rows = [asdict(row) for run in runs for row in rows_of(run)]
    lines = [",".join(Row.__dataclass_fields__)]
    lines += [",".join(_cell(value) for value in row.values()) for row in rows]
    return "\n".join(lines) + "\n"


def _cell(value: object) -> str:
    if value is None:
        return ""
    return text_cell(value) if isinstance(value, str) else f"{value}"


COLUMNS: Final = (
    Text("role", "角色"),
    Text("tag", "名称"),
    Text("points", "点数"),
    Text("steps", "步数"),
    Text("stride", "间隔"),
    Text("not finite", "非有限值"),
    Text("source", "来源"),
)
TITLE: Final = Text("{run}: {count} series", "{run}：{count} 条曲线")
_RIGHT: Final = frozenset({2, 3, 4, 5})  # columns of numbers


def as_text(runs: Sequence[Run], display: Display) -> str:
    """Return a table for each run; drawn on a terminal, plain columns elsewhere.

    Drawn as well for a width that was asked for: only then are long names folded.
    """
    is_terminal = sys.stdout is not None and sys.stdout.isatty()
    if display.width is not None or (display.output is None and is_terminal):
        return _drawn(runs, look_of(display))
    return "\n".join(_plain(run, look_of(display).language) for run in runs)


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


def _title(run: Run, language: Language) -> str:
    from spikedoc.cleaning import name

    return TITLE.fill({"run": name(run.name), "count": len(run.series)}).get(language)


def _plain(run: Run, language: Language) -> str:
    from rich.cells import cell_len

    table = [tuple(column.get(language) for column in COLUMNS), *_cells(run)]
    widths = [max(cell_len(row[i]) for row in table) for i in range(len(COLUMNS))]
    lines = []
    for row in table:
        gaps = [" " * (width - cell_len(cell)) for cell, width in zip(row, widths, strict=True)]
        cells = zip(row, gaps, strict=True)
        lines.append(GAP.join(g + c if i in _RIGHT else c + g for i, (c, g) in enumerate(cells)))
    return "\n".join([_title(run, language), *(line.rstrip() for line in lines)]) + "\n"


def _drawn(runs: Sequence[Run], look: RenderOptions) -> str:
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text as Styled

    console = Console(width=look.width, force_terminal=look.color, no_color=not look.color)
    with console.capture() as captured:
        for run in runs:
            table = Table(box=box.SIMPLE if look.unicode else box.ASCII)
            for at, column in enumerate(COLUMNS):
                justify: Any = "right" if at in _RIGHT else "left"
                table.add_column(column.get(look.language), justify=justify, overflow="fold")
            for cells in _cells(run):
                table.add_row(*(Styled(cell) for cell in cells))
            console.print(Styled(_title(run, look.language), style="bold"))
            console.print(table)
    return "\n".join(line.rstrip() for line in captured.get().splitlines()) + "\n"


WRITERS: Final = {TEXT: as_text, JSON: as_json, CSV: as_csv}
