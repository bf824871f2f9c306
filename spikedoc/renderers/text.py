"""The report for a terminal: verdict first, then the curve, the causes and what to do."""

from __future__ import annotations

from typing import Final

from spikedoc.model.report import Report
from spikedoc.renderers.base import Renderer, RenderOptions


def render(report: Report, options: RenderOptions) -> str:
    """Return the report laid out for a terminal of `options.width` columns."""
    from spikedoc.renderers._screen import Screen  # draws with rich

    return Screen(report, options).draw()


RENDERER: Final[Renderer] = render
