"""How well spikedoc diagnoses beside other tools, on runs whose answer is known.

    python benchmarks/peers.py [FOLDER …] [--only TOOL …] [--work FOLDER] [--write]

Without a FOLDER of labelled runs (see _labelled.py) the sample logs are taken. Each tool gets a
virtual environment of its own under --work, with the newest version that the package index has, and
is asked about one clean table per run. --write keeps the result in docs/explanation/rivals.md.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import date
from functools import partial
from importlib.metadata import version
from pathlib import Path
from string import Template
from typing import Final

from _clean_csv import write_clean
from _labelled import SAMPLE_LOGS, Labelled, labelled, vocabulary
from _measure import run, table
from _peer_tally import HEAD, Tally, count
from _peer_tools import TOOLS, Answer, Remark, ask, install

from spikedoc.errors import SpikedocError
from spikedoc.ingest import iter_runs
from spikedoc.model.label import Severity
from spikedoc.model.metric import Metric
from spikedoc.model.report import Report
from spikedoc.pipeline import analyze_all

ROOT: Final = Path(__file__).resolve().parent.parent
PAGE: Final = ROOT / "docs" / "explanation" / "rivals.md"
TEMPLATE: Final = Path(__file__).with_name("rivals.md.template")
# An answer that needs no log: what it reaches is what any tool must beat.
CONSTANTS: Final = {
    "always “spike and plateau”, “learning rate too high”": Answer(
        tuple(
            Remark(kind, True, "lr-too-high")
            for kind in ("isolated-spike", "slow-recovery", "non-convergence")
        )
    )
}


@dataclass(frozen=True, slots=True)
class Asked:
    """A labelled run, the tables made of it, and what spikedoc says of it."""

    run: Labelled
    tables: tuple[Path, ...]
    scaled: bool  # it logs a loss scale that moves
    on_log: Answer
    on_tables: Answer


def prepared(folder: Path, where: Path) -> list[Asked]:
    """Write one table for each run in the labelled `folder`, and ask spikedoc about both."""
    where.mkdir(parents=True, exist_ok=True)
    start_up = _start_up(where)
    return [_prepared(run, where, start_up) for run in labelled(folder)]


def _start_up(where: Path) -> float:
    """Return the CPU seconds that spikedoc takes before it has read a value."""
    path = where / "ten-rows.csv"
    path.write_text("step,loss\n" + "".join(f"{n},1.0\n" for n in range(10)), encoding="utf-8")
    return run(["-m", "spikedoc", "analyze", str(path), "-q", "--fail-on", "never"]).cpu_seconds


def _prepared(labelled_run: Labelled, where: Path, start_up: float) -> Asked:
    tables, scaled = [], False
    try:
        for number, read in enumerate(iter_runs(labelled_run.path)):
            path = where / f"{labelled_run.name}-{number}.csv"
            if write_clean(read, path):
                tables.append(path)
            scale = read.get(Metric.LOSS_SCALE)
            scaled |= scale is not None and len(set(scale.finite()[1].tolist())) > 1
    except SpikedocError as error:
        print(f"{labelled_run.name}: {error}", file=sys.stderr)
    on_tables = joined([own_answer(path, start_up) for path in tables])
    print(f"prepared {labelled_run.name}", file=sys.stderr)
    return Asked(
        labelled_run, tuple(tables), scaled, own_answer(labelled_run.path, start_up), on_tables
    )


def own_answer(log: Path, start_up: float) -> Answer:
    """Return what spikedoc says of a log: its findings, each with the likeliest cause of its run.

    The same process does it for every log; `start_up` is added to the seconds of each.
    """
    before = time.thread_time()
    try:
        remarks = tuple(remark for report in analyze_all(log) for remark in _remarks(report))
    except SpikedocError as error:
        return Answer(error=str(error)[:200])
    return Answer(remarks, time.thread_time() - before + start_up)


def _remarks(report: Report) -> Iterator[Remark]:
    first = min(report.causes, key=lambda cause: cause.rank, default=None)
    for found in report.findings:
        anomaly = found.anomaly
        is_alarm = anomaly.severity is not Severity.INFO
        yield Remark(anomaly.kind.value, is_alarm, first.rule.cause if first else "")


def joined(answers: Sequence[Answer]) -> Answer:
    """Return the answers about several runs of one log as one."""
    errors = [answer.error for answer in answers if answer.error]
    remarks = tuple(remark for answer in answers for remark in answer.remarks)
    return Answer(remarks, sum(answer.seconds for answer in answers), "; ".join(errors))


def rows_of(
    title: str, asked: Sequence[Asked], homes: Mapping[str, Path], jobs: int
) -> tuple[list[list[str]], list[str]]:
    """Ask everyone about every run and return the rows of the table and what went wrong."""
    tallies: dict[str, Tally] = {}
    with ThreadPoolExecutor(jobs) as pool:
        for one, said in zip(asked, pool.map(partial(_said, homes=homes), asked), strict=True):
            own = {"spikedoc, on the log itself": one.on_log}
            own["spikedoc, on the same table"] = one.on_tables
            for who, answer in (own | said | CONSTANTS).items():
                words = vocabulary(who) if who in homes else None
                tally = tallies.setdefault(who, Tally())
                count(tally, one.run, answer, words, scaled=one.scaled)
    notes = [
        f"{who} on {title}: {error}" for who, tally in tallies.items() for error in tally.errors
    ]
    return [[title, who, *tally.cells()] for who, tally in tallies.items()], notes


def _said(one: Asked, homes: Mapping[str, Path]) -> dict[str, Answer]:
    said = {
        tool.name: joined([ask(tool, path, homes[tool.name]) for path in one.tables])
        for tool in TOOLS
        if tool.name in homes
    }
    print(f"asked about {one.run.name}", file=sys.stderr)
    return said


def titles(folders: Sequence[Path]) -> list[str]:
    """Return what each folder is called in the table, by its layout."""
    return [
        "sample logs"
        if folder.resolve() == SAMPLE_LOGS
        else "public logs"
        if (folder / "manifest.jsonl").exists()
        else "trainings"
        for folder in folders
    ]


def page(rows: Sequence[Sequence[str]], versions: Mapping[str, str], counts: str) -> str:
    """Return the page of the documentation."""
    listed = [
        f"- {tool.name} {versions[tool.name] or '(could not be installed)'}: {tool.how}."
        for tool in TOOLS
        if tool.name in versions
    ]
    shown = [list(row) for row in rows]
    for previous, row in zip(list(rows), shown[1:], strict=False):
        row[0] = "" if previous[0] == row[0] else row[0]
    return Template(TEMPLATE.read_text(encoding="utf-8")).substitute(
        date=date.today().isoformat(),
        machine=f"Python {platform.python_version()}, {os.cpu_count()} cores",
        counts=counts,
        own=version("spikedoc"),
        table=table(HEAD, shown),
        tools="\n".join(listed),
    )


def counted(title: str, asked: Sequence[Asked]) -> str:
    """Return a line that says what a set holds."""
    faults = sum(not one.run.is_healthy for one in asked)
    scaled = sum(one.scaled and one.run.is_healthy for one in asked)
    healthy = len(asked) - faults
    return (
        f"- {title}: {faults} with a fault, {healthy} without, {scaled} of these with a loss scale"
    )


def main() -> None:
    """Compare, print, and keep the page when asked."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("folders", nargs="*", type=Path, default=[SAMPLE_LOGS], metavar="FOLDER")
    names = [tool.name for tool in TOOLS]
    parser.add_argument("--only", nargs="*", choices=names, default=names, metavar="TOOL")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="runs asked about at once")
    parser.add_argument("--write", action="store_true", help="keep the page in the docs")
    default = Path(tempfile.gettempdir()) / "spikedoc-benchmarks" / "peers"
    parser.add_argument("--work", type=Path, default=default, help="for environments and tables")
    wanted = parser.parse_args()
    wanted.work.mkdir(parents=True, exist_ok=True)
    versions = {tool.name: install(tool, wanted.work) for tool in TOOLS if tool.name in wanted.only}
    homes = {name: wanted.work / name for name, number in versions.items() if number}
    rows: list[list[str]] = []
    notes: list[str] = []
    counts: list[str] = []
    for title, folder in zip(titles(wanted.folders), wanted.folders, strict=True):
        asked = prepared(folder, wanted.work / "tables" / title.replace(" ", "-"))
        more, wrong = rows_of(title, asked, homes, wanted.jobs)
        rows += more
        notes += wrong
        counts.append(counted(title, asked))
    print(table(HEAD, rows), *notes, json.dumps(versions), sep="\n")
    if wanted.write:
        PAGE.write_text(page(rows, versions, "\n".join(counts)), encoding="utf-8")


if __name__ == "__main__":
    main()
