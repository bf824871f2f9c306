"""The paragraph on places that several runs spike at, for a terminal and in Markdown."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from spikedoc.cleaning import one_line
from spikedoc.coincidence.result import Coincidence
from spikedoc.coincidence.words import SHARED
from spikedoc.text import Language

if TYPE_CHECKING:
    from spikedoc.renderers._page import Page
    from spikedoc.renderers.base import RenderOptions


def as_text(found: Sequence[Coincidence], options: RenderOptions) -> str:
    """Return the paragraph for a terminal, to be put below reports; empty when nothing is found."""
    from spikedoc.renderers._page import Page

    page = Page(options.width, options.color, options.unicode)
    add_to_page(page, found, options.language)
    return page.text() if found else ""


def add_to_page(page: Page, found: Sequence[Coincidence], language: Language) -> None:
    """Add the paragraph to a page; nothing when nothing is found."""
    if found:
        page.heading(SHARED.get(language))
    for one in found:
        style = "warning" if one.points_to_data else "info"
        page.add((one_line(one.text.get(language)), ""), first=[("  • ", style)])


def in_markdown(found: Sequence[Coincidence], language: Language) -> str:
    """Return the paragraph in Markdown; empty when nothing is found."""
    from spikedoc.renderers._github import prose

    lines = "\n".join(f"- {prose(one.text.get(language))}" for one in found)
    return f"### {SHARED.get(language)}\n\n{lines}" if found else ""
