"""`spikedoc compare`: two runs side by side, and what a replay proves."""

from __future__ import annotations

import importlib
import os
import pkgutil
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from spikedoc.cli.analyze import NEVER, parse_mapping
from spikedoc.cli.display import (
    Display,
    choose_language,
    console_has_unicode,
    deliver,
    readable_language,
    text_options,
    use_color,
    width_of,
)
from spikedoc.cli.inputs import gather, map_option, read_runs
from spikedoc.cli.session import EXIT_BAD_INPUT, EXIT_FINE, EXIT_FOUND, Session
from spikedoc.errors import InputError, UsageError

if TYPE_CHECKING:
    from spikedoc.comparison.formats.base import Format
    from spikedoc.comparison.result import Comparison
    from spikedoc.model.run import Run
    from spikedoc.readers.base import Progress

DEFAULT_FORMAT: Final = "text"
FORMAT_OF_SUFFIX: Final = {"md": "markdown", "json": "json", "txt": "text", "": "text"}
PARTED: Final = "parted"
CHANGES: Final = (
    *("repeat", "data", "state", "precision", "batch", "devices", "seed", "lr", "samples"),
)
# Names of runs told when a path holds more than one.
NAMED: Final = 5


def formats() -> list[str]:
    """Return the names of the outputs, found without importing any."""
    import spikedoc.comparison.formats as folder

    names = (info.name for info in pkgutil.iter_modules(folder.__path__))
    return sorted(name for name in names if name != "base" and not name.startswith("_"))


def _text_options(command: Callable[..., Any]) -> Callable[..., Any]:
    for option in reversed(text_options()):
        command = option(command)
    return command


@click.command(short_help="Two runs side by side: where they part, and what a replay proves.")
@click.argument("paths", nargs=-1, required=True, metavar="A [B]")
@click.option(
    "--replay",
    is_flag=True,
    help="B repeats A over its trouble: did it come again, and what does that prove?",
)
@click.option(
    "--changed",
    type=click.Choice(CHANGES),
    help="What B changed on purpose; read from the settings unless given.",
)
@click.option("--offset", type=int, metavar="N", help="Add N to the steps of B.")
@click.option("--same-steps", is_flag=True, help="The steps of both count the same thing.")
@click.option("--format", "format_", metavar="FORMAT", help="text, markdown or json.")
@click.option(
    "-o",
    "--output",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Write to FILE; .md is Markdown, .json is JSON.",
)
@click.option(
    "--fail-on",
    type=click.Choice([PARTED, NEVER]),
    default=PARTED,
    show_default=True,
    help="Exit with 1 when the runs part or the trouble of A came again.",
)
@_text_options
@map_option
@click.option("-q", "--quiet", is_flag=True, help="Only the comparison and errors.")
@click.option("--traceback", is_flag=True, help="Show where spikedoc failed, should it fail.")
@click.pass_obj
def compare(session: Session, /, *, paths: tuple[str, ...], **options: Any) -> int:
    """Compare run A with run B step by step; A alone when it holds two runs.

    Exit codes: 0 the runs do not part, 1 they part, 2 unreadable or too little in common. With
    --replay: 0 the trouble of A did not come again, 1 it did, 2 the replay cannot tell.
    """
    session.traceback = options["traceback"]
    if len(paths) > 2:
        raise UsageError("compare takes two paths, or one that holds two runs")
    name = _format(options["format_"], options["output"])
    runs, code = _read(paths, session, options)
    if len(runs) < 2:
        return code or EXIT_BAD_INPUT
    comparison = _compared(runs, options)
    deliver(_render(name, comparison, options), options["output"])
    return EXIT_FINE if options["fail_on"] == NEVER else exit_code(comparison)


def exit_code(comparison: Comparison) -> int:
    """Return 1 when the runs part (a replay: when the trouble came again), 2 when unclear."""
    if comparison.replay is not None:
        verdict = comparison.replay.verdict.value
        again = verdict in ("same-step", "other-step")
        return EXIT_FOUND if again else EXIT_BAD_INPUT if verdict == "cannot-tell" else EXIT_FINE
    outcome = comparison.outcome.value
    if outcome == PARTED:
        return EXIT_FOUND
    return EXIT_BAD_INPUT if outcome == "undecided" else EXIT_FINE


def _format(name: str | None, output: Path | None) -> str:
    known = formats()
    if name is None:
        suffix = "" if output is None else output.suffix.lower().lstrip(".")
        if suffix not in FORMAT_OF_SUFFIX:
            raise UsageError(f"cannot write {output}: choose --format {', '.join(known)}")
        return FORMAT_OF_SUFFIX[suffix]
    if name not in known:
        raise UsageError(f"--format {name}: expected one of {', '.join(known)}")
    return name


def _read(
    paths: tuple[str, ...], session: Session, options: dict[str, Any]
) -> tuple[list[Run], int]:
    mapping = parse_mapping(options["mapping"])
    read = partial(_one_run if len(paths) == 2 else _two_runs, mapping=mapping)
    harvest = gather(paths, read, session, quiet=options["quiet"])
    return harvest.results, harvest.code


def _one_run(path: str, progress: Progress, *, mapping: dict[str, str]) -> list[Run]:
    runs = read_runs(path, mapping, progress)
    if len(runs) != 1:
        raise InputError(path, f"holds {len(runs)} runs: {_names(runs)}", "give the path of one")
    return runs


def _two_runs(path: str, progress: Progress, *, mapping: dict[str, str]) -> list[Run]:
    from spikedoc.comparison.pasted import two_runs

    runs = two_runs(path, mapping or None) or read_runs(path, mapping, progress)
    if len(runs) != 2:
        told = "one run" if len(runs) == 1 else f"{len(runs)} runs: {_names(runs)}"
        raise InputError(path, f"holds {told}", "compare takes two: give both paths")
    return runs


def _names(runs: list[Run]) -> str:
    more = " …" if len(runs) > NAMED else ""
    return ", ".join(run.name for run in runs[:NAMED]) + more


def _compared(runs: list[Run], options: dict[str, Any]) -> Comparison:
    from spikedoc.comparison import compare as room
    from spikedoc.comparison.result import Change

    changed = options["changed"]
    told = room.Options(
        offset=options["offset"],
        same_steps=options["same_steps"],
        replay=options["replay"] or changed is not None,
        changed=None if changed is None else Change(changed),
    )
    return room.compare(runs[0], runs[1], told)


def _render(name: str, comparison: Comparison, options: dict[str, Any]) -> str:
    from spikedoc.comparison.formats.base import Options

    output: Path | None = options["output"]
    display = Display(
        name, output, choose_language(options["lang"]), options["color"], options["width"]
    )
    layout = Options(
        language=readable_language(display),
        width=width_of(display),
        color=use_color(display.color, output, os.environ),
        unicode=output is not None or console_has_unicode(),
    )
    render: Format = importlib.import_module(f"spikedoc.comparison.formats.{name}").FORMAT
    return render(comparison, layout)
