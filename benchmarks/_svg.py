"""Small charts as SVG text: panels side by side, each with lines, points and whiskers.

Just what two pages of the documentation need; colours are told apart by people who see red and
green alike (Okabe and Ito), and a caption names every line.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from html import escape
from typing import Final

COLOURS: Final = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#7f7f7f", "#e69f00")
PANEL: Final = (230.0, 190.0)  # width and height of the plotted area
MARGIN: Final = (52.0, 34.0, 14.0, 46.0)  # left, top, right, bottom
LEGEND_LINE: Final = 18.0
LABEL_GAP: Final = 26.0  # room for the label of a tick, four digits
FONT: Final = "font-family='sans-serif' font-size='11'"

Place = Callable[[float], float]


@dataclass(frozen=True, slots=True)
class Curve:
    """Points joined by a line, each with an optional whisker from `low` to `high`."""

    name: str
    x: Sequence[float]
    y: Sequence[float]
    low: Sequence[float] = ()
    high: Sequence[float] = ()
    is_dashed: bool = False
    has_points: bool = True


@dataclass(frozen=True, slots=True)
class Panel:
    """One plot: its title, curves, and axes with the ticks to draw."""

    title: str
    curves: Sequence[Curve]
    x_ticks: Sequence[float]
    y_ticks: Sequence[float]
    x_name: str = ""
    y_name: str = ""
    is_log: bool = False  # the x axis


def drawing(panels: Sequence[Panel], columns: int) -> str:
    """Return an SVG of `panels` in rows of `columns`, with one legend for all of them."""
    names = list(dict.fromkeys(curve.name for panel in panels for curve in panel.curves))
    left, top, right, bottom = MARGIN
    wide, high = PANEL[0] + left + right, PANEL[1] + top + bottom
    rows = math.ceil(len(panels) / columns)
    width, plots = wide * min(columns, len(panels)), high * rows
    parts = []
    for number, panel in enumerate(panels):
        x, y = (number % columns) * wide + left, (number // columns) * high + top
        parts.append(f"<g transform='translate({x:.0f} {y:.0f})'>{_panel(panel, names)}</g>")
    for line, name in enumerate(names):
        y = plots + LEGEND_LINE * (line + 0.5)
        colour = COLOURS[line % len(COLOURS)]
        parts.append(
            f"<path d='M{left:.0f} {y:.1f}h24' stroke='{colour}' stroke-width='2'/>"
            f"<text x='{left + 32:.0f}' y='{y + 4:.1f}' {FONT}>{escape(name)}</text>"
        )
    whole = plots + LEGEND_LINE * (len(names) + 0.5)
    size = f"viewBox='0 0 {width:.0f} {whole:.0f}' width='{width:.0f}' height='{whole:.0f}'"
    back = "<rect width='100%' height='100%' fill='white'/>"
    return f"<svg xmlns='http://www.w3.org/2000/svg' {size}>{back}{''.join(parts)}</svg>\n"


def _panel(panel: Panel, names: Sequence[str]) -> str:
    wide, high = PANEL

    def at_x(value: float) -> float:
        low, top = (
            (math.log(end) if panel.is_log else end)
            for end in (panel.x_ticks[0], panel.x_ticks[-1])
        )
        return wide * ((math.log(value) if panel.is_log else value) - low) / (top - low)

    def at_y(value: float) -> float:
        low, top = panel.y_ticks[0], panel.y_ticks[-1]
        return high * (1.0 - (value - low) / (top - low))

    parts = [f"<text x='0' y='-10' {FONT} font-weight='bold'>{escape(panel.title)}</text>"]
    labelled = -LABEL_GAP
    for tick in panel.x_ticks:
        x = at_x(tick)
        parts.append(f"<path d='M{x:.1f} 0V{high:.0f}' stroke='#e5e5e5'/>")
        if x - labelled >= LABEL_GAP:
            parts.append(_text(x, high + 15, f"{tick:g}", "middle"))
            labelled = x
    for tick in panel.y_ticks:
        y = at_y(tick)
        parts.append(f"<path d='M0 {y:.1f}H{wide:.0f}' stroke='#e5e5e5'/>")
        parts.append(_text(-6, y + 4, f"{tick:g}", "end"))
    parts.append(_text(wide / 2, high + 32, panel.x_name, "middle"))
    turned = f"transform='rotate(-90)' {FONT} text-anchor='middle'"
    parts.append(f"<text x='{-high / 2:.0f}' y='-34' {turned}>{escape(panel.y_name)}</text>")
    parts += [_curve(c, COLOURS[names.index(c.name) % len(COLOURS)], at_x, at_y)
              for c in panel.curves]  # fmt: skip
    return "".join(parts)


def _text(x: float, y: float, words: str, anchor: str) -> str:
    return f"<text x='{x:.1f}' y='{y:.1f}' {FONT} text-anchor='{anchor}'>{escape(words)}</text>"


def _curve(curve: Curve, colour: str, at_x: Place, at_y: Place) -> str:
    points = [(at_x(x), at_y(y)) for x, y in zip(curve.x, curve.y, strict=True)]
    dashed = " stroke-dasharray='5 4'" if curve.is_dashed else ""
    path = "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in points)
    parts = [f"<path d='{path}' fill='none' stroke='{colour}' stroke-width='2'{dashed}/>"]
    for (x, _), low, high in zip(points, curve.low, curve.high, strict=False):
        ends = f"M{x:.1f} {at_y(low):.1f}V{at_y(high):.1f}"
        parts.append(f"<path d='{ends}' stroke='{colour}' stroke-width='1.2'/>")
    if curve.has_points:
        parts += [f"<circle cx='{x:.1f}' cy='{y:.1f}' r='3' fill='{colour}'/>" for x, y in points]
    return "".join(parts)
