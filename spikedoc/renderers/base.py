"""What a renderer is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from spikedoc.model.report import Report
from spikedoc.text import Language


@dataclass(frozen=True, slots=True)
class RenderOptions:
    """How a report is to look; renderers ignore what does not concern them."""

    language: Language = Language.EN
    width: int = 100
    color: bool = False
    unicode: bool = True  # False: ASCII only (braille and box characters replaced)
    verbose: bool = False


class Renderer(Protocol):
    """A pure function from a report to text."""

    def __call__(self, report: Report, options: RenderOptions) -> str:
        """Return the rendered report, ending in a newline."""


class DocumentRenderer(Protocol):
    """A pure function from all reports to one document, for formats that do not simply join."""

    def __call__(self, reports: Sequence[Report], options: RenderOptions) -> str:
        """Return the rendered document, ending in a newline."""
