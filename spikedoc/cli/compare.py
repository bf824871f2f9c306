"""`spikedoc compare`: two runs side by side, and what a replay proves."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Final

import click

from spikedoc.cli.analyze import parse_mapping
from spikedoc.cli.display import (
    DEFAULT_FORMAT,
    Display,
    deliver,
    display_of,
    look_of,
)
from spikedoc.cli.inputs import gather, keep_inputs, read_runs
from spikedoc.cli.messages import say_written
from spikedoc.cli.options import (
    NEVER,
    fail_on_option,
    format_option,
    map_option,
    output_option,
    quiet_option,
    reference_option,
    text_options,
    traceback_option,
    with_options,
)
from spikedoc.cli.references import open_reference
from spikedoc.cli.session import EXIT_BAD_INPUT, EXIT_FINE, EXIT_FOUND, Session
from spikedoc.errors import InputError, UsageError
from spikedoc.text import Text, listed

if TYPE_CHECKING:
    from spikedoc.comparison.formats.base import Format
    from spikedoc.comparison.result import Comparison
    from spikedoc.model.report import Report
    from spikedoc.model.run import Run
    from spikedoc.readers.base import Progress

# Steps shifted by more than any training has might leave the range of 64 bits.
FARTHEST: Final = 10**15
PARTED: Final = "parted"
CHANGES: Final = (
    *("repeat", "data", "state", "precision", "batch", "devices", "seed", "lr", "samples"),
)
# Names of runs told when a path holds more than one.
NAMED: Final = 5

COMPARISON: Final = Text("comparison", "对比")
TWO_PATHS: Final = Text(
    "compare takes two paths, or one that holds two runs",
    "compare 需要两个路径，或一个含两次训练的路径",
)
GIVE_ONE: Final = Text("give the path of one", "请给出其中一次的路径")
GIVE_BOTH: Final = Text(
    "compare takes two: give both paths", "compare 需要两次训练：请给出两个路径"
)
ONE_RUN: Final = Text("holds one run", "只含一次训练")
SEVERAL: Final = Text("holds {n} runs: {names}", "含 {n} 次训练：{names}")


def formats() -> list[str]:
    """Return the names of the outputs, found without importing any."""
    import spikedoc.comparison.formats as folder

    names = (info.name for info in pkgutil.iter_modules(folder.__path__))
    found = {name for name in names if name != "base" and not name.startswith("_")}
    return [DEFAULT_FORMAT, *sorted(found - {DEFAULT_FORMAT})]


@click.command(short_help="Two runs side by side: where they part, and what a replay proves.")
@click.argument("paths", nargs=-1, required=True, metavar="A [B]")
@with_options(
    click.option(
        "--replay",
        is_flag=True,
        help="B repeats A over its trouble: did it come again, and what does that prove?",
    ),
    click.option(
        "--changed",
        type=click.Choice(CHANGES),
        help="What B changed on purpose; read from the settings unless given.",
    ),
    click.option(
        "--offset",
        type=click.IntRange(-FARTHEST, FARTHEST),
        metavar="N",
        help="Add N to the steps of B.",
    ),
    click.option("--same-steps", is_flag=True, help="The steps of both count the same thing."),
    reference_option,
    format_option("comparison", formats()),
    output_option("comparison"),
    text_options,
    quiet_option("comparison"),
    fail_on_option(
        [PARTED, NEVER], PARTED, "Exit with 1 when the runs part or the trouble of A came again."
    ),
    map_option,
    traceback_option,
)
@click.pass_obj
def compare(session: Session, /, *, paths: tuple[str, ...], **options: Any) -> int:
    """Compare run A with run B step by step; A alone when it holds two runs.

    Exit codes: 0 the runs do not part, 1 they part, 2 unreadable or too little in common. With
    --replay: 0 the trouble of A did not come again, 1 it did, 2 the replay cannot tell.
    """
    if len(paths) > 2:
        raise UsageError(TWO_PATHS)
    display = display_of(options, formats())
    runs, code = _read(paths, session, options)
    if len(runs) < 2:
        return code or EXIT_BAD_INPUT
    comparison = _compared(runs, options, session)
    logs = (source.path for run in runs for source in run.sources)
    keep_inputs([display.output], [*paths, *logs, options["reference"]])
    deliver(_render(comparison, display), display.output)
    if not options["quiet"]:
        say_written(COMPARISON, display.output)
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
        raise InputError(path, _several(runs), GIVE_ONE)
    return runs


def _two_runs(path: str, progress: Progress, *, mapping: dict[str, str]) -> list[Run]:
    from spikedoc.comparison.pasted import two_runs

    runs = two_runs(path, mapping or None) or read_runs(path, mapping, progress)
    if len(runs) != 2:
        raise InputError(path, ONE_RUN if len(runs) == 1 else _several(runs), GIVE_BOTH)
    return runs


def _several(runs: list[Run]) -> Text:
    names = listed((run.name for run in runs), NAMED)
    return SEVERAL.fill({"n": len(runs), "names": names})


def _compared(runs: list[Run], options: dict[str, Any], session: Session) -> Comparison:
    from spikedoc.comparison import compare as room
    from spikedoc.comparison.result import Change

    changed = options["changed"]
    told = room.Options(
        offset=options["offset"],
        same_steps=options["same_steps"],
        replay=options["replay"] or changed is not None,
        changed=None if changed is None else Change(changed),
        reference=open_reference(
            options["reference"],
            session,
            mapping=parse_mapping(options["mapping"]),
            quiet=options["quiet"],
        ),
        shared=_shared,
    )
    return room.compare(runs[0], runs[1], told)


def _shared(examined: Sequence[tuple[Run, Report]]) -> list[Text]:
    """Return what is said of places at which both runs spike, where chance does not explain it."""
    from spikedoc.coincidence.sets import coincidences

    return [one.text for one in coincidences(examined)]


def _render(comparison: Comparison, display: Display) -> str:
    module = importlib.import_module(f"spikedoc.comparison.formats.{display.format}")
    render: Format = module.FORMAT
    return render(comparison, look_of(display))
