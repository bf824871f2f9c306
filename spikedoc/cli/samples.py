"""`spikedoc samples`: which samples stand apart in a file of losses per sample."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from spikedoc.cli.display import Display, deliver, display_of, look_of
from spikedoc.cli.inputs import keep_inputs
from spikedoc.cli.messages import say, say_written
from spikedoc.cli.options import (
    format_option,
    output_option,
    quiet_option,
    text_options,
    traceback_option,
    with_options,
)
from spikedoc.cli.session import EXIT_FINE, EXIT_FOUND
from spikedoc.samples.result import SHOWN
from spikedoc.text import Text

if TYPE_CHECKING:
    from spikedoc.samples.formats.base import Format
    from spikedoc.samples.result import Ranking

FORMATS: Final = ("text", "json", "markdown")
MOST_SHOWN: Final = 10_000
RANKING: Final = Text("ranking", "排序")


@click.command(short_help="Rank single samples by their losses.")
@click.argument("file", type=click.Path(path_type=Path), metavar="FILE")
@with_options(
    click.option(
        "--top",
        type=click.IntRange(1, MOST_SHOWN),
        default=SHOWN,
        show_default=True,
        help="Samples shown.",
    ),
    click.option("--at", type=int, metavar="STEP", help="Only the samples of this step or epoch."),
    format_option("ranking", FORMATS),
    output_option("ranking"),
    text_options,
    quiet_option("ranking"),
    traceback_option,
)
def samples(*, file: Path, top: int, at: int | None, **options: Any) -> int:
    """Rank the samples of a batch, or of all of them, by their losses.

    FILE is a table, JSON lines or Parquet, packed or not, or - for the standard input. It has a
    column for the sample (sample_id, image_path ...), one for its loss and, where known, the step
    or epoch. A sample is compared with those seen with it.

    Exit codes: 0 no sample stands apart, 1 some do, 2 unreadable or no such table.
    """
    from spikedoc.samples.rank import rank
    from spikedoc.samples.table import read_samples

    display = display_of(options, FORMATS)
    notes: list[Text] = []
    table = read_samples(file, notes=notes)
    for note in notes:
        say(note, fg="yellow")
    ranking = rank(table, file.name, at=at, shown=top)
    keep_inputs([display.output], [file])
    deliver(_render(ranking, display), display.output)
    if not options["quiet"]:
        say_written(RANKING, display.output)
    return EXIT_FOUND if ranking.apart else EXIT_FINE


def _render(ranking: Ranking, display: Display) -> str:
    module = importlib.import_module(f"spikedoc.samples.formats.{display.format}")
    render: Format = module.FORMAT
    return render(ranking, look_of(display))
