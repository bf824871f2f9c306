"""Which logs must be read together, so that a folder of many runs is read run by run."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final

from spikedoc.ingest.discovery import LogFile
from spikedoc.ingest.grouping import MOST_COMPARED
from spikedoc.ingest.rank_files import place_of
from spikedoc.ingest.read_file import EVENTS

# Printed logs may hold messages alone, which belong to the run above.
_COMPANIONS: Final = frozenset({EVENTS, "text"})


def batches(files: Sequence[LogFile]) -> list[list[LogFile]]:
    """Return the logs in parts that do not depend on each other, in the order of the search.

    Folders with logs of different formats may hold the same run twice, and are compared as long as
    they are few. Otherwise a folder stands alone, but for event files and printed logs, which may
    be curves or messages of the run in a folder above.
    """
    if are_compared(files):
        return [list(files)]
    folders = {file.folder for file in files}
    found: dict[Path, list[LogFile]] = {}
    companions = dict.fromkeys(folders, True)
    for file in files:
        companions[file.folder] &= file.reader.name in _COMPANIONS
    home = {folder: _home(folder, folders, companions) for folder in folders}
    for file in files:
        rank = place_of(file.path, file.reader.name)  # those of one run are laid side by side
        above = home[file.folder] if rank is None else home.get(rank.folder, rank.folder)
        found.setdefault(above, []).append(file)
    return list(found.values())


def are_compared(files: Sequence[LogFile]) -> bool:
    """Return whether folders are looked at for logs of one run in two formats."""
    kinds = {file.reader.name for file in files}
    return len(kinds) > 1 and len({file.folder for file in files}) <= MOST_COMPARED


def _home(folder: Path, folders: set[Path], companions: dict[Path, bool]) -> Path:
    """The topmost folder with logs that this one may be a part of."""
    while companions[folder]:
        above = next((parent for parent in folder.parents if parent in folders), None)
        if above is None:
            break
        folder = above
    return folder
