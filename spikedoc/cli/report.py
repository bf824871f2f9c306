"""`spikedoc report`: show a saved JSON report again, in any format and language."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from spikedoc.cli.display import Display, deliver, display_options, render
from spikedoc.cli.inputs import keep_inputs
from spikedoc.cli.options import traceback_option, with_options
from spikedoc.cli.session import EXIT_FINE
from spikedoc.errors import NOT_A_REPORT, NOT_UTF8, ReportError, also, cannot_read, keep_off_devices
from spikedoc.text import Text

if TYPE_CHECKING:
    from spikedoc.model.report import Report

# A report is some hundred kilobytes; a file beyond this is something else.
LARGEST_BYTES: Final = 256 * 1024 * 1024

TO_DIAGNOSE: Final = Text(
    "to diagnose a log: spikedoc analyze {file}", "要诊断日志，请用：spikedoc analyze {file}"
)
STANDARD_INPUT: Final = "-"


@click.command(short_help="Show a saved JSON report again.")
@click.argument("file", metavar="REPORT.json")
@with_options(display_options, traceback_option)
def report(file: str, display: Display) -> int:
    """Show a report saved with --format json or jsonl again; - reads the standard input."""
    reports = read_reports(file)
    keep_inputs([display.output], [file])
    deliver(render(reports, display), display.output)
    return EXIT_FINE


def read_reports(file: str) -> list[Report]:
    """Return the reports in a JSON object, a JSON array or lines of JSON.

    Raises UsageError when the file cannot be read, ReportError when it holds something else.
    """
    from spikedoc.model.codec import decode

    items = _items(file, _text(file))
    try:
        found = [decode(item) for item in items]
    except ReportError as error:
        raise ReportError(NOT_A_REPORT.fill({"reason": error.text}), at=file) from None
    if not found:
        raise ReportError(Text("holds no report", "其中没有报告"), at=file)
    return found


def _text(file: str) -> str:
    try:
        if file == STANDARD_INPUT:
            content = sys.stdin.buffer.read(LARGEST_BYTES + 1)
        else:
            keep_off_devices(file)
            with Path(file).open("rb") as stream:
                content = stream.read(LARGEST_BYTES + 1)
    except OSError as error:
        raise cannot_read(file, error) from None
    if len(content) > LARGEST_BYTES:
        raise ReportError(Text("too large for a saved report", "太大，不是保存的报告"), at=file)
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise ReportError(NOT_UTF8, at=file) from None


def _items(file: str, text: str) -> list[object]:
    from spikedoc.model.codec import parse

    try:
        value = parse(text)
    except ReportError as error:
        if text.lstrip()[:1] not in ("{", "["):
            raise ReportError(also(error.text, TO_DIAGNOSE.fill({"file": file})), at=file) from None
        lines = [line for line in text.splitlines() if line.strip()]
        if len(lines) < 2 or not _is_json(lines[0]):
            raise ReportError(error.text, at=file) from None
        return [parse(line) for line in lines]
    return value if isinstance(value, list) else [value]


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True
