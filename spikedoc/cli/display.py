"""How results are shown: the options that say so, and the writing of text without accidents."""

from __future__ import annotations

import functools
import importlib
import io
import os
import pkgutil
import shutil
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

import spikedoc.renderers
from spikedoc.errors import UsageError
from spikedoc.language import detect_language
from spikedoc.text import Language

if TYPE_CHECKING:
    from spikedoc.model.report import Report
    from spikedoc.renderers.base import DocumentRenderer

DEFAULT_FORMAT: Final = "terminal"

# Suffixes that do not equal the name of their format.
FORMAT_OF_SUFFIX: Final = {"md": "markdown", "txt": "terminal", "htm": "html"}

# Suffixes that promise a format which is not written here: plain text under them would mislead.
FOREIGN_SUFFIXES: Final = frozenset({"pdf", "xml", "yaml", "yml", "csv"})

# Columns when no terminal tells: wide enough for a table, narrow enough for a mail.
DEFAULT_WIDTH: Final = 100
SMALLEST_WIDTH: Final = 40
LARGEST_WIDTH: Final = 400

# Signs of the terminal report; a console that cannot encode them gets the ASCII drawing.
SAMPLE_SIGNS: Final = "⠿█░━│└┬▲×•·−–"
SAMPLE_CHINESE: Final = "诊断"

# Locales that ask for plain ASCII when set on purpose.
ASCII_LOCALES: Final = frozenset({"C", "POSIX"})


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
    """Return the names of the renderers, found without importing any."""
    names = (info.name for info in pkgutil.iter_modules(spikedoc.renderers.__path__))
    return sorted(name for name in names if not name.startswith("_") and name != "base")


def display_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options of a report to a command, which gets them as one `display`."""

    @functools.wraps(command)
    def with_display(*args: Any, **options: Any) -> Any:
        output = options.pop("output")
        display = Display(
            format=choose_format(options.pop("format_"), output),
            output=output,
            language=choose_language(options.pop("lang")),
            color=options.pop("color"),
            width=options.pop("width"),
            verbose=options.pop("verbose"),
        )
        return command(*args, display=display, **options)

    decorators = (
        click.option("--format", "format_", type=click.Choice(formats()), help=FORMAT_HELP),
        click.option(
            "-o",
            "--output",
            type=click.Path(dir_okay=False, path_type=Path),
            help="Write the report to FILE instead of the standard output.",
            metavar="FILE",
        ),
        *text_options(),
        click.option("-v", "--verbose", is_flag=True, help="Show every cause, check and question."),
    )
    for decorator in reversed(decorators):
        with_display = decorator(with_display)
    return with_display


FORMAT_HELP: Final = "How to write the report; terminal unless the suffix of FILE says otherwise."


def text_options() -> tuple[Callable[..., Any], ...]:
    """Return the options of everything that is text for people."""
    return (
        click.option(
            "--lang",
            type=click.Choice([language.value for language in Language]),
            help="Language of the text; taken from the environment unless given.",
        ),
        click.option(
            "--color",
            type=click.Choice(["auto", "always", "never"]),
            default="auto",
            show_default=True,
            help="Whether to use colour; auto obeys NO_COLOR and FORCE_COLOR.",
        ),
        click.option(
            "--width",
            type=click.IntRange(SMALLEST_WIDTH, LARGEST_WIDTH),
            help="Columns to use; those of the terminal unless given.",
        ),
    )


def choose_language(lang: str | None) -> Language:
    """Return the language asked for, else that of the environment."""
    return Language(lang) if lang else detect_language(os.environ)


def choose_format(format_: str | None, output: Path | None) -> str:
    """Return the format asked for, else that of the file's suffix, else the terminal's.

    Raises UsageError when the suffix belongs to a format that there is no renderer for.
    """
    if format_ is not None:
        return format_
    suffix = output.suffix.lower().lstrip(".") if output else ""
    wanted = FORMAT_OF_SUFFIX.get(suffix, suffix)
    if suffix in FOREIGN_SUFFIXES and wanted not in formats():
        raise UsageError(
            f"cannot write {output}: there is no format {suffix}; choose one with --format "
            f"({', '.join(formats())})"
        )
    return wanted if wanted in formats() else DEFAULT_FORMAT


def render(reports: Sequence[Report], display: Display) -> str:
    """Return the reports in the chosen format, joined the way that format joins several."""
    from spikedoc.renderers.base import RenderOptions

    module = importlib.import_module(f"spikedoc.renderers.{display.format}")
    options = RenderOptions(
        language=readable_language(display),
        width=width_of(display),
        color=use_color(display.color, display.output, os.environ),
        unicode=display.output is not None or console_has_unicode(),
        verbose=display.verbose,
    )
    together: DocumentRenderer | None = getattr(module, "RENDER_ALL", None)
    if together is not None:
        return together(reports, options)
    join: Callable[[Sequence[str]], str] = getattr(module, "JOIN", "\n".join)
    return join([module.RENDERER(report, options) for report in reports])


def draws_charts(format_: str) -> bool:
    """Return whether the format draws more than the report's own curve."""
    module = importlib.import_module(f"spikedoc.renderers.{format_}")
    return bool(getattr(module, "DRAWS_CHARTS", False))


def width_of(display: Display) -> int:
    """Return the columns to use."""
    return display.width if display.width is not None else terminal_width()


def terminal_width() -> int:
    """Return the columns of the terminal, within reason; a usual number without one."""
    columns = shutil.get_terminal_size((DEFAULT_WIDTH, 1)).columns
    return min(max(columns, SMALLEST_WIDTH), LARGEST_WIDTH)


def readable_language(display: Display) -> Language:
    """Return the language, English when the console has no Chinese signs."""
    wanted = display.language
    if wanted is Language.ZH and display.output is None and not _can_encode(SAMPLE_CHINESE):
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
    return os.environ.get("LC_ALL") not in ASCII_LOCALES and _can_encode(SAMPLE_SIGNS)


def _can_encode(signs: str) -> bool:
    if sys.stdout is None:
        return False
    try:
        signs.encode(sys.stdout.encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        return False
    return True


def deliver(text: str, output: Path | None) -> None:
    """Write `text` to the file, or to the standard output.

    Raises UsageError when it cannot be written; a reader that has gone away is no error.
    """
    if output is None:
        write_out(text)
        return
    try:
        output.write_text(text, encoding="utf-8", errors="replace")
    except OSError as error:
        raise UsageError(f"cannot write {output}: {error.strerror or error}") from None


def write_out(text: str) -> None:
    """Write `text` to the standard output, with `?` for what it cannot encode."""
    stream = sys.stdout
    if stream is None:
        raise UsageError("cannot write to the standard output: it is closed")
    if isinstance(stream, io.TextIOWrapper):
        stream.reconfigure(errors="replace")
    try:
        stream.write(text)
        stream.flush()
    except BrokenPipeError:
        _forget_stdout()
    except OSError as error:
        _forget_stdout()
        reason = error.strerror or error
        raise UsageError(f"cannot write to the standard output: {reason}") from None


def _forget_stdout() -> None:
    """Point the standard output at nothing, so that the interpreter can close it in peace."""
    try:
        descriptor = sys.stdout.fileno()
    except (OSError, ValueError):
        return
    nothing = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nothing, descriptor)
    os.close(nothing)


def say(message: str, **style: Any) -> None:
    """Write one line about the work itself to the standard error."""
    from spikedoc.cleaning import one_line

    click.secho(f"spikedoc: {one_line(message)}", err=True, **style)
