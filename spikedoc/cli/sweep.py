"""`spikedoc sweep`: several runs of one setting side by side, and the value to use."""

from __future__ import annotations

import importlib
import os
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from spikedoc.cli.analyze import parse_mapping
from spikedoc.cli.display import (
    Display,
    choose_language,
    console_has_unicode,
    deliver,
    readable_language,
    say,
    text_options,
    use_color,
    width_of,
)
from spikedoc.cli.inputs import gather, map_option
from spikedoc.cli.session import EXIT_FINE, EXIT_FOUND, Session
from spikedoc.errors import UsageError

if TYPE_CHECKING:
    from spikedoc.model.report import Report
    from spikedoc.model.run import Run
    from spikedoc.readers.base import Progress
    from spikedoc.sweep.result import Comparison

FORMATS: Final = ("text", "markdown", "json")
SUFFIXES: Final = {"md": "markdown", "json": "json", "txt": "text"}
FOREIGN_SUFFIXES: Final = frozenset({"html", "htm", "pdf", "csv", "xml", "yaml", "yml"})


def _with_text_options(command: Any) -> Any:
    for option in reversed(text_options()):
        command = option(command)
    return command


@click.command(short_help="Compare the runs of a sweep and propose a value.")
@click.argument("paths", nargs=-1, required=True, metavar="PATH...")
@click.option("--by", metavar="KEY", help="The setting that was swept; found by itself if not.")
@click.option("--format", "format_", type=click.Choice(FORMATS), help="text unless FILE says else.")
@click.option(
    "-o",
    "--output",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Write to FILE; .md is Markdown, .json is JSON.",
)
@_with_text_options
@map_option
@click.option("-q", "--quiet", is_flag=True, help="Only the result and errors.")
@click.option("--traceback", is_flag=True, help="Show where spikedoc failed, should it fail.")
@click.pass_obj
def sweep(session: Session, /, *, paths: tuple[str, ...], **options: Any) -> int:
    """Label the runs of a learning-rate sweep or an ablation, and propose a value.

    All runs found at each PATH are compared with each other.

    Exit codes: 0 a value is proposed, 1 none can be or a place in the data breaks several runs,
    2 unreadable or nothing to compare.
    """
    session.traceback = options["traceback"]
    output: Path | None = options["output"]
    display = Display(
        format=_format(options["format_"], output),
        output=output,
        language=choose_language(options["lang"]),
        color=options["color"],
        width=options["width"],
    )
    read = partial(_examined, mapping=parse_mapping(options["mapping"]))
    harvest = gather(paths, read, session, quiet=options["quiet"])
    if not harvest.results:
        return harvest.code
    from spikedoc.sweep.compare import compare

    comparison = compare(harvest.results, options["by"])
    deliver(_render(comparison, display), output)
    if output is not None and not options["quiet"]:
        say(f"comparison written to {output}")
    return max(harvest.code, exit_code(comparison))


def exit_code(comparison: Comparison) -> int:
    """Return 0 when each sweep has a value to use and no place in the data breaks several runs."""
    from spikedoc.sweep.result import Kind

    told = all(one.proposal.kind is Kind.PROPOSED for one in comparison.sweeps)
    read = all(test.turn is not None for test in comparison.range_tests)
    clean = not any(one.points_to_data for one in comparison.coincidences)
    return EXIT_FINE if told and read and clean else EXIT_FOUND


def _format(name: str | None, output: Path | None) -> str:
    if name is not None:
        return name
    suffix = "" if output is None else output.suffix.removeprefix(".").lower()
    if suffix in FOREIGN_SUFFIXES:
        raise UsageError(f"{output}: sweep writes {', '.join(FORMATS)}; choose one with --format")
    return SUFFIXES.get(suffix, FORMATS[0])


def _examined(
    path: str, progress: Progress, *, mapping: dict[str, str]
) -> list[tuple[Run, Report]]:
    """Return the runs at `path` with their reports."""
    from spikedoc.pipeline import examine

    return list(examine(path, mapping=mapping or None, progress=progress))


def _render(comparison: Comparison, display: Display) -> str:
    from spikedoc.renderers.base import RenderOptions
    from spikedoc.sweep.formats.base import Format

    module = importlib.import_module(f"spikedoc.sweep.formats.{display.format}")
    render: Format = module.FORMAT
    options = RenderOptions(
        language=readable_language(display),
        width=width_of(display),
        color=use_color(display.color, display.output, os.environ),
        unicode=display.output is not None or console_has_unicode(),
    )
    return render(comparison, options)
