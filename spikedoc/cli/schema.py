"""`spikedoc schema`: the JSON Schema of a report, for programs that read one."""

from __future__ import annotations

from importlib import resources

import click


@click.command(short_help="Print the JSON Schema of a report.")
def schema() -> None:
    """Print the JSON Schema of what `spikedoc analyze --format json` writes."""
    file = resources.files("spikedoc.model") / "report.schema.json"
    click.echo(file.read_text(encoding="utf-8"), nl=False)
