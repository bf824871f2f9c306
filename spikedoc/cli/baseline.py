"""`spikedoc baseline`: healthy runs turned into a reference for `spikedoc check`."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from spikedoc.cli.analyze import parse_mapping
from spikedoc.cli.display import choose_language, deliver, write_out
from spikedoc.cli.inputs import keep_inputs
from spikedoc.cli.messages import say
from spikedoc.cli.options import (
    lang_option,
    map_option,
    output_option,
    quiet_option,
    traceback_option,
    with_options,
)
from spikedoc.cli.references import read_healthy
from spikedoc.cli.session import EXIT_FINE, Session
from spikedoc.errors import UsageError
from spikedoc.text import Language, Text, format_value, listed, rounded

if TYPE_CHECKING:
    from spikedoc.reference.band import Band, Reference

SIDES: Final = {
    "above": Text("above it", "高于区间"),
    "below": Text("below it", "低于区间"),
    "both": Text("either way", "任一侧"),
    "never": Text("never, only told", "从不，仅提示"),
}
ALONG: Final = {
    "step": Text("along steps {first} to {last}", "按步数对齐：第 {first} 到 {last} 步"),
    "share": Text(
        "along the share of training done (the runs end at steps {shortest} to {longest})",
        "按训练完成的比例对齐（各次训练止于第 {shortest} 到 {longest} 步）",
    ),
}
HEAD: Final = Text("{runs} healthy {runs|run|runs}: {names}", "{runs} 次健康训练：{names}")
COLUMNS: Final = (
    Text("signal", "信号"),
    Text("runs", "训练次数"),
    Text("at the start", "开始时"),
    Text("in the middle", "中段"),
    Text("at the end", "结束时"),
    Text("fails", "何时失败"),
)
NAMED: Final = 6

NONE_HEALTHY: Final = Text("no healthy run: nothing was written", "没有健康的训练：未写入任何内容")
NOTHING_SHARED: Final = Text(
    "the runs have no signal in common that a band could be made of",
    "这些训练没有可用来生成区间的共同信号",
)
WRITTEN: Final = Text(
    "{bands} bands from {runs} {runs|run|runs} written to {file}",
    "{runs} 次训练的 {bands} 个区间已写入 {file}",
)
GUESSES: Final = Text(
    "one run does not tell how repetitions differ: bands are guesses; five are better",
    "一次训练看不出重复训练之间的差异：区间只是估计，最好有五次",
)


@click.group(short_help="Turn healthy runs into a reference for check.")
def baseline() -> None:
    """Turn healthy runs into a reference that `spikedoc check --reference` compares with."""


@baseline.command(short_help="Write the bands of healthy runs.")
@click.argument("paths", nargs=-1, required=True, metavar="PATH...")
@with_options(
    click.option("--force", is_flag=True, help="Take runs that are not healthy as well."),
    output_option("reference"),
    lang_option,
    quiet_option("reference"),
    map_option,
    traceback_option,
)
@click.pass_obj
def build(session: Session, /, *, paths: tuple[str, ...], **options: Any) -> int:
    """Write the bands in which the signals of the healthy runs at each PATH lie.

    The runs are of one training, repeated: five or more give narrow bands, one gives guesses.
    A run that is not healthy is named and left out, and the exit code is 1 then.
    """
    from spikedoc.reference import build as building
    from spikedoc.reference.codec import dump

    found = read_healthy(
        paths,
        session,
        mapping=parse_mapping(options["mapping"]),
        force=options["force"],
        quiet=options["quiet"],
    )
    if not found.runs:
        say(NONE_HEALTHY, fg="red")
        return found.code
    reference = building.build(found.runs, found.numbers)
    if not reference.bands:
        raise UsageError(NOTHING_SHARED)
    keep_inputs([options["output"]], [*paths, *found.read])
    deliver(dump(reference), options["output"])
    if options["output"] is not None and not options["quiet"]:
        bands, runs = len(reference.bands), len(reference.runs)
        say(WRITTEN.fill({"bands": bands, "runs": runs, "file": str(options["output"])}))
        if runs == 1:
            say(GUESSES)
    return found.code


@baseline.command(short_help="Show what a reference holds.")
@click.argument("file", metavar="REFERENCE.json", type=click.Path(path_type=Path))
@with_options(lang_option, traceback_option)
def show(file: Path, lang: str | None) -> int:
    """Show the bands of a reference: a line per signal, at the start, the middle and the end."""
    from spikedoc.reference.codec import load

    write_out(described(load(file), choose_language(lang)))
    return EXIT_FINE


def described(reference: Reference, language: Language) -> str:
    """Return the bands as a table."""
    from rich.cells import cell_len

    from spikedoc.cleaning import name

    names = listed((name(run) for run in reference.runs), NAMED)
    head = HEAD.fill({"runs": len(reference.runs), "names": names}).get(language)
    rows = [[column.get(language) for column in COLUMNS]]
    rows += [_row(band, language) for band in reference.bands]
    widths = [max(cell_len(row[i]) for row in rows) for i in range(len(COLUMNS))]
    lines = [
        "  ".join(cell + " " * (width - cell_len(cell)) for cell, width in zip(row, widths))  # noqa: B905
        for row in rows
    ]
    text = [head, _along(reference).get(language), "", *(line.rstrip() for line in lines)]
    return "\n".join(text) + "\n"


def _along(reference: Reference) -> Text:
    edges = [band.edges for band in reference.bands]
    return ALONG[reference.axis.value].fill(
        {
            "first": int(min((edge[0] for edge in edges), default=0)),
            "last": reference.longest,
            "shortest": reference.shortest,
            "longest": reference.longest,
        }
    )


def _row(band: Band, language: Language) -> list[str]:
    from spikedoc.cleaning import name

    known = [i for i, middle in enumerate(band.middle.tolist()) if math.isfinite(middle)]
    places = (known[0], known[len(known) // 2], known[-1]) if known else ()
    spans = [f"{_number(band.low[i])} … {_number(band.high[i])}" for i in places] or ["–"] * 3
    side = SIDES[band.side.value if band.judged else "never"]
    return [name(band.signal), str(band.runs), *spans, side.get(language)]


def _number(value: float) -> str:
    return format_value(rounded(value, 3))
