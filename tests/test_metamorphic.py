"""The same training told otherwise gets the same verdict: on every sample log, or with a reason.

Each change below leaves what happened as it was. Where the verdict follows the change all the
same, the log is named in `REASONS` with why.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tensorboard.compat.proto.event_pb2 import Event
from tensorboard.compat.proto.summary_pb2 import Summary
from tensorboard.summary.writer.record_writer import RecordWriter

from spikedoc.ingest import load_runs
from spikedoc.model.knowledge import Catalog
from spikedoc.model.label import Severity
from spikedoc.model.metric import Metric
from spikedoc.model.report import Report
from spikedoc.model.run import Run, Series
from spikedoc.pipeline import diagnose
from spikedoc.rules.loader import load_catalog

ROOT = Path(__file__).parents[1] / "sample_logs"
NAMES = sorted(path.parent.name for path in ROOT.glob("*/case.toml"))
LOSSES = (Metric.LOSS, Metric.VAL_LOSS, Metric.LOSS_COMPONENT)
SHORT = 200  # points; thinner logs than this are not thinned

CLASSES = "the first loss of a classifier is known: ln of the number of its classes"
# (log, change) → kinds that come or go (or none: status or first cause do), and why.
REASONS: dict[tuple[str, str], tuple[set[str], str]] = {
    **{
        (name, "larger loss"): ({"first-loss-off"}, CLASSES)
        for name in (
            "class_sorted",
            "healthy_noisy_small_batch",
            "lr_too_high_oscillation",
            "mislabelled_sample",
            "overfit",
            "scheduler_unit_mix",
            "wrong_lr_flat",
        )
    },
    ("mislabelled_sample", "thinned"): ({"isolated-spike"}, "the one point is not logged any more"),
    ("frozen_or_detached", "counter begins later"): (
        set(),
        "a log whose beginning is missing cannot show that training never moved at all",
    ),
    ("lr_too_high_oscillation", "counter begins later"): (
        {"oscillation"},
        "a log whose beginning is missing cannot show that noise is as large as what was learned",
    ),
    ("scheduler_unit_mix", "thinned"): (
        {"gradient-ramp"},
        "the norm climbs over fourteen points behind the leap of the rate: too few are left",
    ),
}


@dataclass(frozen=True)
class Verdict:
    """What must stay: status, kinds that are at least a warning, the first cause."""

    status: str
    kinds: frozenset[str]
    cause: str | None


def verdict(report: Report) -> Verdict:
    serious = [f for f in report.findings if f.anomaly.severity is not Severity.INFO]
    kinds = frozenset(finding.anomaly.kind.value for finding in serious)
    cause = report.causes[0].rule.cause if report.causes and kinds else None
    return Verdict(report.status.value, kinds, cause)


@cache
def catalog() -> Catalog:
    return load_catalog(None)


@cache
def sample(name: str) -> Run:
    (run,) = load_runs(ROOT / name / "run")
    return run


@cache
def known(name: str) -> Verdict:
    return verdict(diagnose(sample(name), catalog()))


def check(name: str, change: str, changed: Run) -> None:
    found, before = verdict(diagnose(changed, catalog())), known(name)
    if (name, change) not in REASONS:
        assert found == before
        return
    kinds, reason = REASONS[name, change]
    assert found.kinds ^ before.kinds == kinds, reason
    assert found != before, f"no longer so: {reason}"


def each(run: Run, change: Callable[[Series], Series]) -> Run:
    return replace(run, series=tuple(change(series) for series in run.series))


def larger(run: Run) -> Run:
    """The sum over eight ranks instead of their mean: loss and gradient alike."""
    told = (*LOSSES, Metric.GRAD_NORM)
    return each(run, lambda s: replace(s, values=s.values * 8) if s.metric in told else s)


def later(run: Run, steps: int = 1000) -> Run:
    """A counter that does not begin at 0."""
    moved = each(run, lambda s: replace(s, steps=s.steps + steps))
    return replace(
        moved,
        restarts=tuple(
            replace(r, step=r.step + steps, last_step=r.last_step + steps) for r in run.restarts
        ),
        checkpoints=tuple(
            c if c.step is None else replace(c, step=c.step + steps) for c in run.checkpoints
        ),
        events=tuple((None if s is None else s + steps, line) for s, line in run.events),
    )


def thinned(run: Run) -> Run:
    """Every second point of long series."""
    loss = run.main_loss
    assert loss is not None
    kept = loss.steps[::2]

    def first_kept(step: int) -> int:
        return int(kept[min(np.searchsorted(kept, step), kept.size - 1)])

    def half(s: Series) -> Series:
        if len(s) < SHORT:
            return s
        times = None if s.wall_times is None else s.wall_times[::2].copy()
        return replace(s, steps=s.steps[::2].copy(), values=s.values[::2].copy(), wall_times=times)

    restarts = tuple(replace(r, step=first_kept(r.step)) for r in run.restarts)
    return replace(each(run, half), restarts=restarts)


def in_reverse(run: Run) -> Run:
    """The series in another order."""
    return replace(run, series=tuple(reversed(run.series)))


CHANGES = {
    "larger loss": larger,
    "counter begins later": later,
    "thinned": thinned,
    "other order": in_reverse,
}


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("name", NAMES)
def test_what_leaves_the_training_as_it_was_leaves_the_verdict(name: str, change: str) -> None:
    check(name, change, CHANGES[change](sample(name)))


def rows(run: Run) -> list[dict[str, float]]:
    """One row per step, with the cells that were logged there."""
    table: dict[int, dict[str, float]] = {}
    for series in run.series:
        for step, number in zip(series.steps.tolist(), series.values.tolist(), strict=True):
            table.setdefault(step, {"step": step})[series.tag] = number
    return [table[step] for step in sorted(table)]


def write_csv(path: Path, run: Run) -> None:
    names = list(dict.fromkeys(key for row in rows(run) for key in row))
    with (path / "metrics.csv").open("w", newline="") as file:
        writer = csv.DictWriter(file, names, restval="")
        writer.writeheader()
        writer.writerows(rows(run))


def write_jsonl(path: Path, run: Run) -> None:
    (path / "metrics.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows(run)))


def write_events(path: Path, run: Run) -> None:
    with (path / "events.out.tfevents.1735700000.trainer.1.0").open("wb") as file:
        writer = RecordWriter(file)
        for row in rows(run):
            step = int(row["step"])
            numbers = [Summary.Value(tag=t, simple_value=v) for t, v in row.items() if t != "step"]
            summary = Summary(value=numbers)
            event: Any = Event(wall_time=1735700000.0 + step, step=step, summary=summary)
            writer.write(event.SerializeToString())


FORMATS = {"csv": write_csv, "jsonl": write_jsonl, "events": write_events}
# Restarts are seen by new files and steps that go back, checkpoints beside the log: one table has
# neither, nor the lines of a printed log.
WHOLE = [
    name
    for name in NAMES
    if not (sample(name).restarts or sample(name).events or sample(name).checkpoints)
]


@pytest.mark.parametrize("format_", FORMATS)
@pytest.mark.parametrize("name", WHOLE)
def test_the_format_does_not_matter(name: str, format_: str, tmp_path: Path) -> None:
    FORMATS[format_](tmp_path, sample(name))
    (read,) = load_runs(tmp_path)
    # Beside the log there may be a configuration: what it says is the same in every format.
    check(name, format_, replace(read, config=sample(name).config))


SYNONYMS = {
    Metric.LOSS: "train/loss",
    Metric.VAL_LOSS: "val/loss",
    Metric.LR: "train/learning_rate",
    Metric.GRAD_NORM: "train/grad_norm",
}


@pytest.mark.parametrize("name", WHOLE)
def test_the_names_do_not_matter(name: str, tmp_path: Path) -> None:
    run = sample(name)
    main = {metric: run.get(metric) for metric in SYNONYMS}
    renamed = each(
        run, lambda s: replace(s, tag=SYNONYMS[s.metric]) if main.get(s.metric) is s else s
    )
    write_csv(tmp_path, renamed)
    (read,) = load_runs(tmp_path)
    check(name, "renamed", replace(read, config=run.config))


@pytest.mark.parametrize("name", [name for name in NAMES if sample(name).restarts])
def test_where_the_log_is_cut_into_files_does_not_matter(name: str, tmp_path: Path) -> None:
    run = sample(name)
    border = run.restarts[0].step
    for number, (first, last) in enumerate(((-1, border - 1), (border, 1 << 60))):

        def within(s: Series, first: int = first, last: int = last) -> Series:
            kept = (s.steps >= first) & (s.steps <= last)
            return replace(s, steps=s.steps[kept], values=s.values[kept], wall_times=None)

        part = tmp_path / f"part{number}"
        part.mkdir()
        write_events(part, each(run, within))
        (part / "events.out.tfevents.1735700000.trainer.1.0").rename(
            tmp_path / f"events.out.tfevents.{1735700000 + 3600 * number}.trainer.1.0"
        )
        part.rmdir()
    (read,) = load_runs(tmp_path)
    assert [restart.step for restart in read.restarts] == [border]
    check(name, "two files", replace(read, config=run.config))
