"""The folder that `add_hparams` makes: the settings of a run with the results it ended with."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

from spikedoc.ingest.read_file import EVENTS, Groups, ReadFile
from spikedoc.text import Text

LEFT_OUT: Final = Text(
    "results logged with the settings, {tags}, are no curves and were left out",
    "随超参数一起记录的结果（{tags}）不是曲线，已略去",
)


def are_results(files: Sequence[ReadFile]) -> bool:
    """Return whether the logs of a folder hold settings and, for each quantity, a single value."""
    return bool(files) and all(
        one.kind == EVENTS
        and one.table.config
        and all(series.steps.size == 1 for series in one.table.series)
        for one in files
    )


def without_results(groups: Groups) -> Groups:
    """Give the settings of such folders to the run in the folder above, without the results.

    A folder stays a run of its own where there are no curves in the one above.
    """
    result = {folder: list(files) for folder, files in groups.items()}
    for folder, files in groups.items():
        above = result.get(folder.parent, [])
        if folder.parent not in groups or not are_results(files) or not _has_curves(above):
            continue
        above.extend(_settings_of(one, folder) for one in files)
        del result[folder]
    return result


def _has_curves(files: Sequence[ReadFile]) -> bool:
    return any(series.steps.size > 1 for one in files for series in one.table.series)


def _settings_of(one: ReadFile, folder: Path) -> ReadFile:
    tags = ", ".join(series.tag for series in one.table.series)
    notes = (*one.table.notes, *([LEFT_OUT.fill({"tags": tags})] if tags else []))
    file = replace(one.file, folder=folder.parent, prefix=f"{folder.name}/")
    return ReadFile(file, replace(one.table, series=(), notes=notes))
