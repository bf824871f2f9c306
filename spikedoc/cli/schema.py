"""`spikedoc schema`: the JSON Schemas of what spikedoc writes, for programs that read it."""

from __future__ import annotations

from importlib import resources
from typing import Final

import click

from spikedoc.cli.display import write_out
from spikedoc.cli.options import traceback_option

SCHEMAS: Final = {
    "report": ("spikedoc.model", "report.schema.json"),
    "check": ("spikedoc.gate", "check.schema.json"),
    "comparison": ("spikedoc.comparison", "comparison.schema.json"),
    "sweep": ("spikedoc.sweep", "sweep.schema.json"),
    "reference": ("spikedoc.reference", "reference.schema.json"),
    "samples": ("spikedoc.samples", "samples.schema.json"),
}


@click.command(short_help="Print the JSON Schema of what spikedoc writes.")
@click.option(
    "--of",
    "subject",
    type=click.Choice(list(SCHEMAS)),
    default="report",
    show_default=True,
    help="Of what --format json writes: the report of analyze, the result of check, the comparison "
    "of compare, that of sweep, or the ranking of samples; or of the reference that baseline build "
    "writes.",
)
@traceback_option
def schema(subject: str) -> None:
    """Print the JSON Schema of what spikedoc writes as JSON."""
    package, name = SCHEMAS[subject]
    file = resources.files(package) / name
    write_out(file.read_text(encoding="utf-8"))
