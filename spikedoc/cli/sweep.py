"""`spikedoc sweep`: several runs of one setting side by side, and the value to use."""

from __future__ import annotations

import importlib
from functools import partial
from typing import TYPE_CHECKING, Any, Final

import click

from spikedoc.cli.analyze import parse_mapping
from spikedoc.cli.display import Display, deliver, display_of, look_of
from spikedoc.cli.inputs import gather, keep_inputs
from spikedoc.cli.messages import say_written
from spikedoc.cli.options import (
    format_option,
    map_option,
    output_option,
    quiet_option,
    text_options,
    traceback_option,
    with_options,
)
from spikedoc.cli.session import EXIT_FINE, EXIT_FOUND, Session
from spikedoc.text import Text

if TYPE_CHECKING:
    from spikedoc.model.report import Report
    from spikedoc.model.run import Run
    from spikedoc.readers.base import Progress
    from spikedoc.sweep.result import Comparison

FORMATS: Final = ("text", "json", "markdown")
COMPARISON: Final = Text("comparison", "对比")


@click.command(short_help="Compare the runs of a sweep and propose a value.")
@click.argument("paths", nargs=-1, required=True, metavar="PATH...")
@with_options(
    click.option("--by", metavar="KEY", help="The setting that was swept; found by itself if not."),
    format_option("comparison", FORMATS),
    output_option("comparison"),
    text_options,
    quiet_option("comparison"),
    map_option,
    traceback_option,
)
@click.pass_obj
def sweep(session: Session, /, *, paths: tuple[str, ...], **options: Any) -> int:
    """Label the runs of a learning-rate sweep or an ablation, and propose a value.

    All runs found at each PATH are compared with each other.

    Exit codes: 0 a value is proposed, 1 none can be or a place in the data breaks several runs,
    2 unreadable or nothing to compare.
    """
    display = display_of(options, FORMATS)
    read = partial(_examined, mapping=parse_mapping(options["mapping"]))
    harvest = gather(paths, read, session, quiet=options["quiet"])
    if not harvest.results:
        return harvest.code
    from spikedoc.sweep.compare import compare

    comparison = compare(harvest.results, options["by"])
    logs = (source.path for run, _ in harvest.results for source in run.sources)
    keep_inputs([display.output], [*paths, *logs])
    deliver(_render(comparison, display), display.output)
    if not options["quiet"]:
        say_written(COMPARISON, display.output)
    return max(harvest.code, exit_code(comparison))


def exit_code(comparison: Comparison) -> int:
    """Return 0 when each sweep has a value to use and no place in the data breaks several runs."""
    from spikedoc.sweep.result import Kind

    told = all(one.proposal.kind is Kind.PROPOSED for one in comparison.sweeps)
    read = all(test.turn is not None for test in comparison.range_tests)
    clean = not any(one.points_to_data for one in comparison.coincidences)
    return EXIT_FINE if told and read and clean else EXIT_FOUND


def _examined(
    path: str, progress: Progress, *, mapping: dict[str, str]
) -> list[tuple[Run, Report]]:
    """Return the runs at `path` with their reports."""
    from spikedoc.pipeline import examine

    return list(examine(path, mapping=mapping or None, progress=progress))


def _render(comparison: Comparison, display: Display) -> str:
    from spikedoc.sweep.formats.base import Format

    module = importlib.import_module(f"spikedoc.sweep.formats.{display.format}")
    render: Format = module.FORMAT
    return render(comparison, look_of(display))
