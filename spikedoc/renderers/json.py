"""The report as one indented JSON object; several runs make an array."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from spikedoc.model.codec import dumps
from spikedoc.model.report import Report
from spikedoc.renderers.base import Renderer, RenderOptions

INDENT: Final = 2


def render(report: Report, options: RenderOptions) -> str:
    """Return strict JSON; both languages are in it, whatever `options.language` says."""
    return dumps(report, indent=INDENT, ascii_only=not options.unicode) + "\n"


def join(reports: Sequence[str]) -> str:
    """Return one rendered report as it is, several as one array."""
    if len(reports) == 1:
        return reports[0]
    return "[\n" + ",\n".join(report.rstrip("\n") for report in reports) + "\n]\n"


RENDERER: Final[Renderer] = render
JOIN: Final = join
DRAWS_CHARTS: Final = True  # so that a page made from the saved report lacks nothing
