"""The report as one page that needs nothing but a browser: no network, no other file.

Scripts and styles are part of the page and named by their hashes in its content security policy, so
that nothing a log holds could run even if it were taken for markup.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, Final

from markupsafe import Markup

from spikedoc.cleaning import name
from spikedoc.model.report import Report
from spikedoc.renderers._html_data import as_data, page_words, run_data
from spikedoc.renderers._html_sheet import Sheet
from spikedoc.renderers._html_text import LANG_ATTRIBUTE, Wording
from spikedoc.renderers.base import DocumentRenderer, Renderer, RenderOptions

if TYPE_CHECKING:
    from jinja2 import Environment

FOLDER: Final = "html_page"
PLOTTING: Final = "vendor/uPlot.iife.min.js"
PLOTTING_STYLE: Final = "vendor/uPlot.min.css"
PLOTTING_LICENSE: Final = "vendor/uPlot.LICENSE"
# One program in parts, in the order they build on each other.
SCRIPTS: Final = ("data.js", "marks.js", "plot.js", "group.js", "extras.js", "page.js")
# A browser opens a page of some megabytes at once; a point takes about twelve bytes.
POINTS_MOST: Final = 250_000
RUNS_MOST: Final = 200
STYLES: Final = ("page.css", "parts.css", "print.css")


def render(report: Report, options: RenderOptions) -> str:
    """Return the page of one run."""
    return render_all([report], options)


def render_all(reports: Sequence[Report], options: RenderOptions) -> str:
    """Return one page of all runs, with an index when there are several.

    Beyond `RUNS_MOST` they stand in the index only, beyond `POINTS_MOST` with their main curve.
    """
    scripts = (_plotting(), _program())
    style = _style()
    sheets = _sheets(reports[:RUNS_MOST])
    page: str = (
        _templates()
        .get_template("page.html.j2")
        .render(
            sheets=sheets,
            others=[Sheet(report, 0) for report in reports[RUNS_MOST:]],
            data=[as_data(run_data(sheet.report)) for sheet in sheets],
            words=as_data(page_words()),
            wording=Wording(""),
            language=options.language.value,
            lang_attribute=LANG_ATTRIBUTE[options.language],
            policy=_policy(scripts, style),
            style=_trusted(style),
            scripts=[_trusted(script) for script in scripts],
            version=name(reports[0].spikedoc_version) if reports else "",
        )
    )
    return page.rstrip("\n") + "\n"


def _sheets(reports: Sequence[Report]) -> list[Sheet]:
    """Return the sheets of the runs, the first ones with all their curves."""
    sheets, points = [], 0
    for number, report in enumerate(reports, 1):
        charts = report.charts
        points += sum(len(curve.steps) for curve in charts.curves) if charts else 0
        if charts is not None and points > POINTS_MOST and number > 1:
            sheets.append(Sheet(replace(report, charts=None), number, is_reduced=True))
        else:
            sheets.append(Sheet(report, number))
    return sheets


@cache
def _templates() -> Environment:
    from jinja2 import Environment, FunctionLoader, StrictUndefined

    return Environment(
        loader=FunctionLoader(_file),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


@cache
def _file(path: str) -> str:
    folder = resources.files("spikedoc.renderers").joinpath(FOLDER)
    return folder.joinpath(path).read_text(encoding="utf-8")


def _plotting() -> str:
    return f"/*\n{_file(PLOTTING_LICENSE).strip()}\n*/\n{_file(PLOTTING)}"


def _program() -> str:
    parts = "\n".join(map(_file, SCRIPTS))
    return f'(() => {{\n"use strict";\n{parts}\n}})();\n'


def _style() -> str:
    return "\n".join(map(_file, (PLOTTING_STYLE, *STYLES)))


def _trusted(text: str) -> Markup:
    """Return a file of this package for the inside of an element; it holds no end of one."""
    return Markup(text)


def _policy(scripts: Sequence[str], style: str) -> str:
    """Return the content security policy: these scripts, this style, and nothing from anywhere."""
    allowed = " ".join(_hash(script) for script in scripts)
    return "; ".join(
        (
            "default-src 'none'",
            f"script-src {allowed}",
            f"style-src {_hash(style)}",
            "img-src data:",
            "base-uri 'none'",
            "form-action 'none'",
            "require-trusted-types-for 'script'",
        )
    )


def _hash(text: str) -> str:
    digest = hashlib.sha256(text.encode("utf-8")).digest()
    return f"'sha256-{base64.b64encode(digest).decode('ascii')}'"


RENDERER: Final[Renderer] = render
RENDER_ALL: Final[DocumentRenderer] = render_all
DRAWS_CHARTS: Final = True
