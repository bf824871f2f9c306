"""`spikedoc convert`: one run's series as a table for other programs."""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from spikedoc.cli.analyze import parse_mapping
from spikedoc.cli.display import write_out
from spikedoc.cli.inputs import gather, keep_inputs, read_runs, thinned_notes
from spikedoc.cli.messages import say
from spikedoc.cli.options import (
    FORMAT_OF_SUFFIX,
    budget_of,
    budget_options,
    choose_format,
    format_option,
    map_option,
    output_option,
    quiet_option,
    traceback_option,
    with_options,
)
from spikedoc.cli.session import Session
from spikedoc.cli.tables import FORMATS, LONG, PARQUET, SHAPES, WIDE, lines, write_parquet
from spikedoc.errors import UsageError, cannot_write, keep_off_pipes
from spikedoc.model.budget import Budget
from spikedoc.text import Text, listed

if TYPE_CHECKING:
    from spikedoc.model.run import Run

NO_TEXT: Final = Text("Parquet is no text; give -o FILE", "Parquet 不是文本；请用 -o FILE")
WRITTEN: Final = Text("{n} series written to {file}", "{n} 条曲线已写入 {file}")
UNKNOWN_SUFFIX: Final = Text(
    "cannot write {file}: no format of that name; formats: {names} (or choose one with --format)",
    "无法写入 {file}：没有该名称的格式；格式有：{names}（或用 --format 选择）",
)
# Without a suffix, and with one of plain text, CSV is written.
KNOWN_SUFFIXES: Final = frozenset(
    {"", ".txt", *(f".{suffix}" for suffix in (*FORMATS, *FORMAT_OF_SUFFIX))}
)
SEVERAL: Final = Text(
    "{n} runs there; choose one with --run: {names}",
    "其中有 {n} 次训练；请用 --run 选择：{names}",
)
NO_SUCH_RUN: Final = Text("no such run; there are: {names}", "没有该训练；现有：{names}")


@click.command(short_help="Write the series of a run as CSV, JSON lines or Parquet.")
@click.argument("path", metavar="PATH")
@with_options(
    click.option(
        "--shape",
        type=click.Choice(SHAPES),
        default=WIDE,
        show_default=True,
        help="A row for each step with a column for each series, or a row for each value.",
    ),
    click.option("--run", "name", metavar="NAME", help="Which run, where PATH holds several."),
    format_option("table", FORMATS),
    output_option("table"),
    quiet_option("table"),
    map_option,
    budget_options,
    traceback_option,
)
@click.pass_obj
def convert(
    session: Session,
    /,
    *,
    path: str,
    output: Path | None,
    format_: str | None,
    shape: str,
    name: str | None,
    mapping: tuple[str, ...],
    quiet: bool,
    **limits: Any,
) -> int:
    """Write the series of the run at PATH, a log file or folder, or - for the standard input.

    A value that was not logged is an empty cell (CSV), an absent key (JSON lines) or null
    (Parquet); NaN and infinities are kept as such.
    """
    _refuse_unknown(output, format_)
    chosen = choose_format(format_, output, FORMATS)
    if chosen == PARQUET and output is None:
        raise UsageError(NO_TEXT)
    keep_inputs([output], [path])
    read = partial(_read, mapping=parse_mapping(mapping), budget=budget_of(limits))
    gathered = gather([path], read, session, quiet=quiet)
    if gathered.results:
        run = choose_run(gathered.results, name)
        keep_inputs([output], [source.path for source in run.sources])
        _write(run, output, chosen, shape)
        if output is not None and not quiet:
            say(WRITTEN.fill({"n": len(run.series), "file": str(output)}))
        for note in [] if quiet else thinned_notes(run):
            say(note)
    return gathered.code


def _refuse_unknown(output: Path | None, format_: str | None) -> None:
    """Raise UsageError for a suffix that is none of the formats."""
    if output is None or format_ is not None or output.suffix.lower() in KNOWN_SUFFIXES:
        return
    told = UNKNOWN_SUFFIX.fill({"file": str(output), "names": listed(FORMATS)})
    raise UsageError(told)


def _read(path: str, progress: Any, *, mapping: dict[str, str], budget: Budget) -> list[Run]:
    return read_runs(path, mapping, progress, budget)


def choose_run(runs: list[Run], name: str | None) -> Run:
    """Return the run called `name`, or the only one; raises UsageError naming what there is."""
    names = listed(run.name for run in runs)
    if name is None:
        if len(runs) > 1:
            raise UsageError(SEVERAL.fill({"n": len(runs), "names": names}))
        return runs[0]
    found = next((run for run in runs if run.name == name), None)
    if found is None:
        raise UsageError(NO_SUCH_RUN.fill({"names": names}), at=f"--run {name}")
    return found


def _write(run: Run, output: Path | None, format_: str, shape: str) -> None:
    if output is not None:
        keep_off_pipes(output)
    try:
        if output is not None and format_ == PARQUET:
            write_parquet(run, output, long=shape == LONG)
        elif output is not None:
            with output.open("w", encoding="utf-8", errors="replace", newline="\n") as file:
                file.writelines(lines(run, format_, long=shape == LONG))
        else:
            for text in lines(run, format_, long=shape == LONG):
                write_out(text)
                if sys.stdout.closed:
                    return
    except OSError as error:
        raise cannot_write(str(output), error) from None
