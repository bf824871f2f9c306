"""The options that commands share: one wording, one order, one rule for the format of a file."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from spikedoc.errors import UsageError
from spikedoc.model.budget import DEFAULT, Budget, size_of
from spikedoc.text import Language, Text, listed

Decorator = Callable[[Any], Any]

NEVER: Final = "never"
STANDARD_OUTPUT: Final = Path("-")
SMALLEST_WIDTH: Final = 40
# Fewer points do not show noise, periods and a schedule beside each other.
FEWEST_POINTS: Final = 1_000
# Less than what the program itself takes bounds nothing.
LEAST_MEMORY: Final = 50_000_000
LARGEST_WIDTH: Final = 400

# Every command has its own options first, then those of these that it needs, in this order.
ORDER: Final = (
    *("--format", "--output", "--lang", "--color", "--width", "--verbose", "--quiet"),
    *("--fail-on", "--map", "--max-points", "--max-memory", "--rules", "--traceback"),
)

# Names of formats that scripts of earlier versions may give.
FORMER_NAMES: Final = {"terminal": "text"}

# What a suffix promises: a command that has this format writes it, any other refuses.
FORMAT_OF_SUFFIX: Final = {
    "txt": "text",
    "md": "markdown",
    "htm": "html",
    "html": "html",
    "json": "json",
    "jsonl": "jsonl",
    "ndjson": "jsonl",
    "csv": "csv",
    "pq": "parquet",
    "parquet": "parquet",
    "xml": "junit",
    "sarif": "sarif",
    **{suffix: suffix for suffix in ("pdf", "yaml", "yml", "tsv", "xlsx", "docx")},
}


class FormatName(click.Choice[str]):
    """One of the formats of a command; former names go on working and are not shown."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the format that the word means."""
        return super().convert(FORMER_NAMES.get(value, value), param, ctx)


def with_options(*decorators: Decorator) -> Decorator:
    """Return a decorator that adds options to a command in the order in which they are read."""

    def decorate(command: Any) -> Any:
        for decorator in reversed(decorators):
            command = decorator(command)
        return command

    return decorate


def choose_format(name: str | None, output: Path | None, known: Sequence[str]) -> str:
    """Return the format asked for, else that of the file's suffix, else the first of `known`.

    Raises UsageError when the suffix promises a format that the command does not write.
    """
    if name is not None:
        return name
    suffix = "" if output is None else output.suffix.lower().lstrip(".")
    promised = FORMAT_OF_SUFFIX.get(suffix, suffix)
    if promised in known:
        return promised
    if suffix in FORMAT_OF_SUFFIX:
        names = listed(known)
        raise UsageError(
            Text(
                f"cannot write {output}: no format for .{suffix} here; choose one with --format "
                f"({names.en})",
                f"无法写入 {output}：此处没有 .{suffix} 格式；请用 --format 选择（{names.zh}）",
            )
        )
    return known[0]


def format_option(noun: str, known: Sequence[str]) -> Decorator:
    """Return `--format`: how the `noun` is written."""
    told = f"How to write the {noun}; {known[0]} unless the suffix of FILE says otherwise."
    return click.option("--format", "format_", type=FormatName(known), help=told)


def _named_file(_context: click.Context, _: click.Parameter, given: Path | None) -> Path | None:
    return None if given == STANDARD_OUTPUT else given


def output_option(noun: str) -> Decorator:
    """Return `-o`: where the `noun` goes; None for `-`, the standard output."""
    return click.option(
        "-o",
        "--output",
        type=click.Path(dir_okay=False, path_type=Path),
        callback=_named_file,
        metavar="FILE",
        help=f"Write the {noun} to FILE instead of the standard output.",
    )


def _speak(context: click.Context, _: click.Parameter, lang: str | None) -> str | None:
    if lang is not None and context.obj is not None:
        context.obj.language = Language(lang)
    return lang


# Of messages about the work, too.
lang_option: Final = click.option(
    "--lang",
    type=click.Choice([language.value for language in Language]),
    callback=_speak,
    help="Language of the text; taken from the environment unless given.",
)
color_option: Final = click.option(
    "--color",
    type=click.Choice(["auto", "always", "never"]),
    default="auto",
    show_default=True,
    help="Whether to use colour; auto obeys NO_COLOR and FORCE_COLOR.",
)
width_option: Final = click.option(
    "--width",
    type=click.IntRange(SMALLEST_WIDTH, LARGEST_WIDTH),
    help="Columns to use; those of the terminal unless given.",
)
# Of everything that is text for people.
text_options: Final = with_options(lang_option, color_option, width_option)


def verbose_option(told: str) -> Decorator:
    """Return `-v`; `told` says what is shown then."""
    return click.option("-v", "--verbose", is_flag=True, help=told)


def quiet_option(noun: str) -> Decorator:
    """Return `-q`: nothing but the `noun`."""
    return click.option("-q", "--quiet", is_flag=True, help=f"Only the {noun} and errors.")


def fail_on_option(known: Sequence[str], default: str | None, told: str) -> Decorator:
    """Return `--fail-on`; without a default it is up to the settings."""
    return click.option(
        "--fail-on",
        type=click.Choice(known),
        default=default,
        show_default=default is not None,
        help=told,
    )


map_option: Final = click.option(
    "--map",
    "mapping",
    multiple=True,
    metavar="ROLE=TAG",
    help="Use the series TAG of the log as ROLE (loss, val_loss, lr ...), or as the step.",
)
reference_option: Final = click.option(
    "--reference",
    type=click.Path(exists=True, path_type=Path),
    metavar="FILE|DIR",
    help="Compare with healthy runs: a file of spikedoc baseline build, or the runs themselves.",
)
rules_option: Final = click.option(
    "--rules",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    metavar="DIR",
    help="Folder with further rule files.",
)


if TYPE_CHECKING:
    _Bytes = click.ParamType[int]
else:  # which click 8.2 cannot be told
    _Bytes = click.ParamType


class Size(_Bytes):
    """A number of bytes such as `500MB` or `2GB`."""

    name = "size"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """Return the bytes."""
        found = value if isinstance(value, int) else size_of(value)
        if found is None or found < LEAST_MEMORY:
            self.fail(f"{value!r}: expected a size such as 500MB or 2GB, 50MB at least", param, ctx)
        return found


max_points_option: Final = click.option(
    "--max-points",
    type=click.IntRange(FEWEST_POINTS),
    metavar="N",
    help="Keep at most N points of a series: every k-th, and those that stand out.",
)
max_memory_option: Final = click.option(
    "--max-memory",
    type=Size(),
    default=DEFAULT.memory,
    metavar="SIZE",
    help="Keep no more of a log than fits into SIZE (500MB, 2GB); 4GB unless given.",
)
# Of every command that reads logs which somebody else may have written.
budget_options: Final = with_options(max_points_option, max_memory_option)


def budget_of(options: Mapping[str, Any]) -> Budget:
    """Return what the two options say, taken out of those of a command."""
    return Budget(options["max_points"], options["max_memory"])


def _remember(context: click.Context, _: click.Parameter, wanted: bool) -> None:
    if context.obj is not None:
        context.obj.traceback = wanted


# Every command has it: the advice after a crash names it.
traceback_option: Final = click.option(
    "--traceback",
    is_flag=True,
    expose_value=False,
    callback=_remember,
    help="Show where spikedoc failed, should it fail.",
)
