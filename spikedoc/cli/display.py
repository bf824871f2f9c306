"""How results are shown: the options that say so, and the writing of text without accidents."""

from __future__ import annotations

import functools
import importlib
import io
import os
import pkgutil
import shutil
import stat
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import spikedoc.renderers
from spikedoc.cli.messages import SAMPLE_CHINESE, can_encode
from spikedoc.cli.options import (
    LARGEST_WIDTH,
    SMALLEST_WIDTH,
    choose_format,
    format_option,
    output_option,
    text_options,
    verbose_option,
    with_options,
)
from spikedoc.errors import UsageError, cannot_write, keep_off_pipes, reason_of
from spikedoc.language import detect_language
from spikedoc.text import Language, Text

if TYPE_CHECKING:
    from spikedoc.model.report import Report
    from spikedoc.renderers.base import DocumentRenderer, RenderOptions

DEFAULT_FORMAT: Final = "text"
# What click calls the options that make up a display.
DISPLAY: Final = ("format_", "output", "lang", "color", "width", "verbose")

# Columns when no terminal tells: wide enough for a table, narrow enough for a mail.
DEFAULT_WIDTH: Final = 100

# Signs of the terminal report; a console that cannot encode them gets the ASCII drawing.
SAMPLE_SIGNS: Final = "⠿█░━│└┬▲×•·−–"

# Locales that ask for plain ASCII when set on purpose.
ASCII_LOCALES: Final = frozenset({"C", "POSIX"})


NO_OUTPUT: Final = Text("cannot write to the standard output", "无法写入标准输出")
CLOSED: Final = Text("it is closed", "它已关闭")


@dataclass(frozen=True, slots=True)
class Display:
    """The options that most commands share."""

    format: str
    output: Path | None
    language: Language
    color: str  # "auto", "always" or "never"
    width: int | None
    verbose: bool = False


def formats() -> list[str]:
    """Return the names of the renderers, the usual one first, found without importing any."""
    names = (info.name for info in pkgutil.iter_modules(spikedoc.renderers.__path__))
    found = {name for name in names if not name.startswith("_") and name != "base"}
    return [DEFAULT_FORMAT, *sorted(found - {DEFAULT_FORMAT})]


def display_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options of a report to a command, which gets them as one `display`."""

    @functools.wraps(command)
    def with_display(*args: Any, **options: Any) -> Any:
        display = display_of(options, formats())
        rest = {name: value for name, value in options.items() if name not in DISPLAY}
        return command(*args, display=display, **rest)

    decorate = with_options(
        format_option("report", formats()),
        output_option("report"),
        text_options,
        verbose_option("Show every cause, check and question."),
    )
    decorated: Callable[..., Any] = decorate(with_display)
    return decorated


def display_of(options: Mapping[str, Any], known: Sequence[str]) -> Display:
    """Return what the shared options say; those that a command lacks are as if not given.

    `known` are the formats of the command, the usual one first. Raises UsageError for a file whose
    suffix promises another.
    """
    given = {name: options.get(name) for name in DISPLAY}
    output: Path | None = given["output"]
    return Display(
        format=choose_format(given["format_"], output, known),
        output=output,
        language=choose_language(given["lang"]),
        color=given["color"] or "auto",
        width=given["width"],
        verbose=bool(given["verbose"]),
    )


def choose_language(lang: str | None) -> Language:
    """Return the language asked for, else that of the environment."""
    return Language(lang) if lang else detect_language(os.environ)


def render(reports: Sequence[Report], display: Display) -> str:
    """Return the reports in the chosen format, joined the way that format joins several."""
    module = importlib.import_module(f"spikedoc.renderers.{display.format}")
    options = look_of(display)
    together: DocumentRenderer | None = getattr(module, "RENDER_ALL", None)
    if together is not None:
        return together(reports, options)
    join: Callable[[Sequence[str]], str] = getattr(module, "JOIN", "\n".join)
    return join([module.RENDERER(report, options) for report in reports])


def look_of(display: Display) -> RenderOptions:
    """Return what the display comes to on this console, or in its file."""
    from spikedoc.renderers.base import RenderOptions

    return RenderOptions(
        language=readable_language(display),
        width=width_of(display),
        color=use_color(display.color, display.output, os.environ),
        unicode=display.output is not None or console_has_unicode(),
        verbose=display.verbose,
    )


def draws_charts(format_: str) -> bool:
    """Return whether the format draws more than the report's own curve."""
    module = importlib.import_module(f"spikedoc.renderers.{format_}")
    return bool(getattr(module, "DRAWS_CHARTS", False))


def width_of(display: Display) -> int:
    """Return the columns to use."""
    return display.width if display.width is not None else terminal_width()


def is_wrapped(display: Display) -> bool:
    """Return whether long lines are broken: on a terminal, or where a width is asked for."""
    on_terminal = display.output is None and sys.stdout is not None and sys.stdout.isatty()
    return display.width is not None or on_terminal


def terminal_width() -> int:
    """Return the columns of the terminal, within reason; a usual number without one.

    What goes through a pipe to a pager is seen on the terminal of the standard error.
    """
    columns = shutil.get_terminal_size((_columns_behind_pipe(), 1)).columns
    return min(max(columns, SMALLEST_WIDTH), LARGEST_WIDTH)


def _columns_behind_pipe() -> int:
    try:
        is_pipe = stat.S_ISFIFO(os.fstat(sys.stdout.fileno()).st_mode)
        return os.get_terminal_size(sys.stderr.fileno()).columns if is_pipe else DEFAULT_WIDTH
    except (OSError, ValueError, AttributeError):  # no stream, or none of the system
        return DEFAULT_WIDTH


def readable_language(display: Display) -> Language:
    """Return the language, English when the console has no Chinese signs."""
    wanted = display.language
    if (
        wanted is Language.ZH
        and display.output is None
        and not can_encode(SAMPLE_CHINESE, sys.stdout)
    ):
        return Language.EN
    return wanted


def use_color(choice: str, output: Path | None, environment: Mapping[str, str]) -> bool:
    """Return whether colour codes are wanted and will be understood."""
    if choice != "auto":
        return choice == "always"
    if output is not None or environment.get("NO_COLOR"):
        return False
    if environment.get("FORCE_COLOR", "0") not in ("", "0"):
        return True
    return sys.stdout is not None and sys.stdout.isatty() and environment.get("TERM") != "dumb"


def console_has_unicode() -> bool:
    """Return whether the standard output can show the signs of the terminal report."""
    return os.environ.get("LC_ALL") not in ASCII_LOCALES and can_encode(SAMPLE_SIGNS, sys.stdout)


def deliver(text: str, output: Path | None) -> None:
    """Write `text` to the file, or to the standard output.

    Raises UsageError when it cannot be written; a reader that has gone away is no error.
    """
    if output is None:
        write_out(text)
        return
    keep_off_pipes(output)
    try:
        output.write_text(text, encoding="utf-8", errors="replace")
    except OSError as error:
        raise cannot_write(output, error) from None


def write_out(text: str) -> None:
    """Write `text` to the standard output, with `?` for what it cannot encode."""
    stream = sys.stdout
    if stream is None:
        raise UsageError(CLOSED, at=NO_OUTPUT)
    if isinstance(stream, io.TextIOWrapper):
        stream.reconfigure(errors="replace")
    try:
        stream.write(text)
        stream.flush()
    except BrokenPipeError:
        _forget_stdout()
    except OSError as error:
        _forget_stdout()
        raise UsageError(reason_of(error), at=NO_OUTPUT) from None


def _forget_stdout() -> None:
    """Point the standard output at nothing, so that the interpreter can close it in peace."""
    try:
        descriptor = sys.stdout.fileno()
    except (OSError, ValueError):
        return
    nothing = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nothing, descriptor)
    os.close(nothing)
