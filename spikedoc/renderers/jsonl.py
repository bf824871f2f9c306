"""The report as one line of JSON; several runs make several lines."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from spikedoc.model.codec import dumps
from spikedoc.model.report import Report
from spikedoc.renderers.base import Renderer, RenderOptions


def render(report: Report, options: RenderOptions) -> str:
    """Return strict JSON on one line; both languages are in it."""
    return dumps(report, ascii_only=not options.unicode) + "\n"


def join(reports: Sequence[str]) -> str:
    """Return the lines one after another."""
    return "".join(reports)


RENDERER: Final[Renderer] = render
JOIN: Final = join
