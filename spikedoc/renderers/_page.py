"""Lines of styled text: wrapped with Chinese in mind, then painted with rich.

Imports rich, so it is itself imported only when something is drawn.
"""

from __future__ import annotations

import io
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final

from rich.cells import cell_len, set_cell_size
from rich.console import Console
from rich.text import Text as RichText

from spikedoc.cleaning import ascii_spelling

Span = tuple[str, str]  # text and the name of its style
Line = list[Span]

# The sixteen standard colours only: they follow the theme of the terminal.
STYLES: Final = {
    "": "",
    "strong": "bold",
    "faint": "dim",
    "heading": "bold",
    "code": "cyan",
    "curve": "blue",
    "healthy": "green",
    "unknown": "magenta",
    "info": "cyan",
    "warning": "yellow",
    "critical": "red",
    "badge-healthy": "bold reverse green",
    "badge-unknown": "bold reverse magenta",
    "badge-warning": "bold reverse yellow",
    "badge-critical": "bold reverse red",
    "supports": "green",
    "refutes": "red",
}

# Closing signs that may not begin a line, opening signs that may not end one.
NO_LINE_START: Final = frozenset("，。、；：？！）】》」』”’…—·％,.;:?!)]}%")
NO_LINE_END: Final = frozenset("（【《「『“‘([{")

# A wide sign is a word of its own: Chinese may be broken between any two.
WIDE: Final = 2

# Prose wider than this is tiring to read, however wide the window is.
WIDEST_PROSE: Final = 110


def width_of(text: str) -> int:
    """Return the columns that `text` takes on a terminal."""
    return cell_len(text)


def pad(text: str, width: int) -> str:
    """Return `text` filled with spaces up to `width` columns."""
    return text + " " * max(width - cell_len(text), 0)


def clip(text: str, width: int) -> str:
    """Return `text`, cut with an ellipsis when it takes more than `width` columns."""
    if cell_len(text) <= width:
        return text
    return set_cell_size(text, width - 1).rstrip() + "…"


def code_spans(text: str, style: str = "") -> Line:
    """Return `text` with the parts between backticks in the style of code."""
    parts = text.split("`")
    if len(parts) % 2 == 0:  # an odd number of backticks pairs with nothing
        return [(text, style)]
    spans = [(f"`{part}`", "code") if i % 2 else (part, style) for i, part in enumerate(parts)]
    return [span for span in spans if span[0]]


def wrap(spans: Iterable[Span], width: int) -> list[Line]:
    """Return the spans broken into lines of at most `width` columns (at least one line)."""
    signs = [(sign, style) for text, style in spans for sign in text]
    lines: list[list[Span]] = [[]]
    used = 0
    for word, spaced in _words(signs):
        word_width = cell_len("".join(sign for sign, _ in word))
        gap = 1 if spaced and lines[-1] else 0
        if lines[-1] and used + gap + word_width > width:
            lines.append([])
            used = gap = 0
        if gap:
            style = word[0][1]
            lines[-1].append((" ", style if lines[-1][-1][1] == style else ""))
        used += gap
        for sign, style in word:  # a word wider than a line is broken anywhere
            sign_width = cell_len(sign)
            if used + sign_width > width and lines[-1]:
                lines.append([])
                used = 0
            lines[-1].append((sign, style))
            used += sign_width
    return [_joined(line) for line in lines]


def _words(signs: Sequence[Span]) -> list[tuple[list[Span], bool]]:
    """Return the pieces that may not be broken, each with whether a space comes before it."""
    words: list[tuple[list[Span], bool]] = []
    spaced = fresh = True
    for sign, style in signs:
        if sign == " ":
            spaced = fresh = True
            continue
        before = words[-1][0][-1][0] if words else ""
        is_wide = cell_len(sign) >= WIDE
        glued = sign in NO_LINE_START or before in NO_LINE_END
        if words and not spaced and (glued or not (fresh or is_wide)):
            words[-1][0].append((sign, style))
        else:
            words.append(([(sign, style)], spaced))
        fresh = is_wide and sign not in NO_LINE_END
        spaced = False
    return words


def _joined(line: Sequence[Span]) -> Line:
    joined: Line = []
    for text, style in line:
        if joined and joined[-1][1] == style:
            joined[-1] = (joined[-1][0] + text, style)
        else:
            joined.append((text, style))
    return joined


@dataclass
class Page:
    """Collects the lines of a report from top to bottom; `prose` is the measure of running text."""

    width: int
    color: bool
    unicode: bool
    lines: list[Line] = field(default_factory=list)

    @property
    def prose(self) -> int:
        """Return the width of running text in columns."""
        return min(self.width, WIDEST_PROSE)

    def blank(self) -> None:
        """Add an empty line, unless one is there already."""
        if self.lines and self.lines[-1]:
            self.lines.append([])

    def heading(self, text: str) -> None:
        """Add an empty line and a heading."""
        self.blank()
        self.lines.append([(text, "heading")])

    def raw(self, *spans: Span) -> None:
        """Add a line as it is."""
        self.lines.append(list(spans))

    def add(self, *spans: Span, first: Sequence[Span] = ()) -> None:
        """Add a paragraph that begins with `first`; its further lines stand under the text."""
        head = [(self.spell(text), style) for text, style in first]
        indent = sum(cell_len(text) for text, _ in head)
        spelt = [(self.spell(text), style) for text, style in spans]
        for place, line in enumerate(wrap(spelt, max(self.prose - indent, 1))):
            self.lines.append([*(head if place == 0 else [(" " * indent, "")]), *line])

    def code(self, text: str, indent: int) -> None:
        """Add a line of code in one piece, however wide: it is there to be copied."""
        self.lines.append([(" " * indent, ""), (self.spell(text), "code")])

    def spell(self, text: str) -> str:
        """Return `text` in the signs that this console has."""
        return text if self.unicode else ascii_spelling(text)

    def text(self) -> str:
        """Return the page, with colour codes when wanted, without spaces at line ends."""
        out = io.StringIO()
        console = Console(
            file=out,
            width=self.width,
            height=1,
            force_terminal=self.color,
            color_system="standard" if self.color else None,
            no_color=not self.color,
            legacy_windows=False,
            highlight=False,
            markup=False,
            emoji=False,
        )
        for line in self.lines:
            painted = RichText(no_wrap=True, overflow="ignore", end="\n")
            for text, style in _without_command(_without_end_spaces(line)):
                painted.append(text, STYLES[style])
            console.print(painted, crop=False, soft_wrap=True)
        return out.getvalue()


def _without_command(line: Line) -> Line:
    """Return the line so that the log of a CI job does not take it for an order.

    GitHub Actions obeys a line that begins with two colons, spaces before them or not; the name of
    a run or a tag may.
    """
    for i, (text, style) in enumerate(line):
        begin = text.lstrip()
        if begin.startswith("::"):
            blank = text[: len(text) - len(begin)]
            return [*line[:i], (f"{blank}: {begin[1:]}", style), *line[i + 1 :]]
        if begin:
            break
    return line


def _without_end_spaces(line: Line) -> Line:
    kept = list(line)
    while kept and not kept[-1][0].rstrip(" "):
        kept.pop()
    if kept:
        kept[-1] = (kept[-1][0].rstrip(" "), kept[-1][1])
    return kept
