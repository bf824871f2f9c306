"""Healthy runs read for a reference, and a reference wherever it comes from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

from spikedoc.cli.analyze import STATUS_NAMES
from spikedoc.cli.inputs import gather
from spikedoc.cli.messages import say
from spikedoc.cli.session import EXIT_FOUND, Session
from spikedoc.errors import UsageError, keep_off_devices
from spikedoc.text import Text, Values

if TYPE_CHECKING:
    from spikedoc.model.report import Report
    from spikedoc.model.run import Run
    from spikedoc.readers.base import Progress
    from spikedoc.reference.band import Reference

# Settings that make two trainings different ones; a seed does not.
SETTINGS: Final = ("lr", "batch_size", "optimizer", "clip", "warmup_steps", "schedule")


NOT_HEALTHY: Final = Text(
    "{run}: not healthy ({status}: {headline}); left out, --force takes it",
    "{run}：不健康（{status}：{headline}）；已略过，用 --force 可强制采用",
)
NONE_TO_COMPARE: Final = Text("holds no healthy run to compare with", "其中没有可供对比的健康训练")
DIFFERING: Final = Text(
    "the healthy runs differ in {setting}: the bands hold that difference, too",
    "各次健康训练的 {setting} 不同：区间也包含了这一差异",
)


@dataclass
class Healthy:
    """The runs to make a reference of, and the worst exit code on the way."""

    runs: list[Run] = field(default_factory=list)
    numbers: list[dict[str, float]] = field(default_factory=list)  # of each run as a whole
    code: int = 0
    read: list[str] = field(default_factory=list)  # files, those of runs left out included


def read_healthy(
    paths: Sequence[str],
    session: Session,
    *,
    mapping: Mapping[str, str],
    force: bool,
    quiet: bool,
) -> Healthy:
    """Return the healthy runs at `paths`; every other one is named and left out, unless `force`."""
    from spikedoc.gate.measure import numbers_of
    from spikedoc.model.label import Status

    read = partial(_examined, mapping=mapping)
    gathered = gather(paths, read, session, quiet=quiet)
    found = Healthy(code=gathered.code)
    for run, report in gathered.results:
        found.read += (source.path for source in run.sources)
        if report.status is Status.HEALTHY or force:
            found.runs.append(run)
            found.numbers.append(numbers_of(run, [one.anomaly for one in report.findings]))
        else:
            status = STATUS_NAMES[report.status]
            why: Values = {"run": run.name, "status": status, "headline": report.headline}
            say(NOT_HEALTHY.fill(why), fg="yellow")
            found.code = max(found.code, EXIT_FOUND)
    for setting in _differing(found.runs):
        say(DIFFERING.fill({"setting": setting}))
    return found


def _examined(
    path: str, progress: Progress, *, mapping: Mapping[str, str]
) -> list[tuple[Run, Report]]:
    from spikedoc.pipeline import examine

    return list(examine(path, mapping=dict(mapping) or None, progress=progress))


def _differing(runs: Sequence[Run]) -> list[str]:
    """Return the settings that two of the runs have different values for."""
    values = {key: {str(r.config[key]) for r in runs if key in r.config} for key in SETTINGS}
    return [key for key, found in values.items() if len(found) > 1]


def open_reference(
    path: Path | None, session: Session, *, mapping: Mapping[str, str], quiet: bool
) -> Reference | None:
    """Return the reference in a file, or that of the healthy runs at a path; raises UsageError."""
    from spikedoc.reference.build import build
    from spikedoc.reference.codec import is_reference, load

    if path is None:
        return None
    keep_off_devices(path)
    if not path.exists() or path.suffix == ".json" or is_reference(path):
        return load(path)
    found = read_healthy([str(path)], session, mapping=mapping, force=False, quiet=quiet)
    if not found.runs:
        raise UsageError(NONE_TO_COMPARE, at=path)
    return build(found.runs, found.numbers)
