"""The end of a terminal report: the way back, guards, and the code that logs more next time."""

from __future__ import annotations

from spikedoc.cleaning import name, one_line
from spikedoc.model.report import Report
from spikedoc.renderers._closing import guard_lines, lost_lines
from spikedoc.renderers._page import Page, code_spans
from spikedoc.renderers._strings import Words


def add_rollback(page: Page, report: Report, words: Words) -> None:
    """Add where to go back to and what is lost by it."""
    back = report.rollback
    if back is None:
        return
    page.heading(words("heading.rollback"))
    if back.checkpoint:
        place = words("rollback.checkpoint", step=back.step, checkpoint=name(back.checkpoint))
    else:
        place = words("rollback.none", step=back.step)
    page.add((place, "strong"), first=[("  ", "")])
    page.add(*code_spans(one_line(words.of(back.reason))), first=[("  ", "")])
    for lost in lost_lines(back, words):
        page.add((lost, "faint"), first=[("  ", "")])


def add_guards(page: Page, report: Report, words: Words) -> None:
    """Add where guards would have fired."""
    found = guard_lines(report, words)
    if not found:
        return
    page.heading(words("heading.guards"))
    for line in found[:-1]:
        page.add((one_line(line), ""), first=[("  • ", "")])
    page.add((one_line(found[-1]), "faint"), first=[("    ", "")])


def add_snippet(page: Page, report: Report, words: Words) -> None:
    """Add the code that logs what was missing."""
    if not report.snippet:
        return
    page.heading(words("heading.snippet"))
    for line in report.snippet:
        page.code(one_line(line), len("  "))
