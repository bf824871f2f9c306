"""`spikedoc schema`: the JSON Schemas of what spikedoc writes, for programs that read it."""

from __future__ import annotations

from importlib import resources
from typing import Final

import click

SCHEMAS: Final = {
    "report": ("spikedoc.model", "report.schema.json"),
    "check": ("spikedoc.gate", "check.schema.json"),
    "comparison": ("spikedoc.comparison", "comparison.schema.json"),
}


@click.command(short_help="Print the JSON Schema of a report.")
@click.option(
    "--of",
    "subject",
    type=click.Choice(list(SCHEMAS)),
    default="report",
    show_default=True,
    help="What analyze --format json writes; check --format json and jsonl; compare --format json.",
)
def schema(subject: str) -> None:
    """Print the JSON Schema of what spikedoc writes as JSON."""
    package, name = SCHEMAS[subject]
    file = resources.files(package) / name
    click.echo(file.read_text(encoding="utf-8"), nl=False)
