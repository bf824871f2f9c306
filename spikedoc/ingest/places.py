"""A tree of many runs in parts that are read one by one, with the runs that the whole would give.

Most folders with logs are a part by themselves. Which ones belong to another part is only known
once they are read: messages and curves kept apart from their run, and runs logged in two formats.
These are questions, answered by `is_apart` and `joined`, wherever there is time for it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from spikedoc.errors import InputError
from spikedoc.ingest.batches import are_compared, batches
from spikedoc.ingest.discovery import Bounds, Found, LogFile, find, find_all
from spikedoc.ingest.grouping import stands_alone
from spikedoc.ingest.load import Loading
from spikedoc.ingest.patterns import fixed_part, matched
from spikedoc.ingest.rank_files import place_of
from spikedoc.ingest.reading import Reading
from spikedoc.ingest.redaction import redacted_run
from spikedoc.ingest.thinning import thinned_run
from spikedoc.model.budget import DEFAULT, Budget
from spikedoc.model.run import Run
from spikedoc.text import Text

# A tree has no end in depth; the folders of one that has a loop in it end with the path's length.
DEEPEST_FOLDER: Final = 1_000
# Files that a search looks at: ten for each of a million runs.
MOST_FILES: Final = 10_000_000
# Logs in several formats are compared as long as they are read in a few seconds.
MOST_COMPARED_BYTES: Final = 1_000_000_000
NOT_COMPARED: Final = Text(
    "large logs in several formats are not compared: one run may count twice",
    "多种格式的大型日志不做比对：同一次训练可能被计两次",
)

Files = tuple[LogFile, ...]


@dataclass(frozen=True, slots=True)
class Survey:
    """What there is to read below `root`."""

    root: Path
    places: tuple[Files, ...] = ()  # read one by one
    doubtful: tuple[Files, ...] = ()  # folders that may belong to one above; upper ones first
    compared: tuple[Files, ...] = ()  # folders of several formats, which may be one run
    failures: tuple[InputError, ...] = ()
    notes: tuple[Text, ...] = ()


def survey(path: Path, passed_over: Iterable[Path] = ()) -> Survey:
    """Return what there is to read at `path`: a file, a folder, or a pattern.

    Raises InputError when the path itself cannot be used.
    """
    bounds = Bounds(DEEPEST_FOLDER, MOST_FILES, frozenset(passed_over))
    matches = matched(path)
    root = path if matches is None else fixed_part(path)
    found = find(path, bounds) if matches is None else find_all(matches, root, bounds)
    clear, doubtful, compared = _sorted_out(found.files)
    notes = list(found.notes)
    if are_compared(found.files) and not _is_soon_read(found.files):
        notes.append(NOT_COMPARED)
    return Survey(
        root,
        tuple(clear),
        tuple(doubtful),
        tuple(compared),
        tuple(found.failures),
        tuple(notes),
    )


def _sorted_out(files: Sequence[LogFile]) -> tuple[list[Files], list[Files], list[Files]]:
    """Logs that are clear, folders with doubt, and what must be compared as a whole."""
    clear: list[Files] = []
    doubtful: list[Files] = []
    for batch in batches(files):
        folders = by_folder(batch)
        if len(folders) > 1 and are_compared(files) and _is_soon_read(files):
            return [], [], [tuple(files)]
        for folder, group in _ranks_united(folders).items():
            is_below = any(above in folders for above in folder.parents)
            (doubtful if is_below else clear).append(group)
    return clear, doubtful, []


def _is_soon_read(files: Sequence[LogFile]) -> bool:
    return sum(file.size for file in files) <= MOST_COMPARED_BYTES


def by_folder(files: Iterable[LogFile]) -> dict[Path, Files]:
    """Return the logs by the folder of their run, in the order given."""
    found: dict[Path, list[LogFile]] = {}
    for file in files:
        found.setdefault(file.folder, []).append(file)
    return {folder: tuple(group) for folder, group in found.items()}


def _ranks_united(folders: Mapping[Path, Files]) -> dict[Path, Files]:
    """The folders, those of the ranks of one run as one: they are laid side by side."""
    homes: dict[Path, Path] = {}
    for folder, files in folders.items():
        ranks = [place_of(file.path, file.reader.name) for file in files]
        above = {rank.folder for rank in ranks if rank is not None}
        is_of_rank = None not in ranks and len(above) == 1 and folder not in above
        homes[folder] = above.pop() if is_of_rank else folder
    found: dict[Path, list[LogFile]] = {}
    for folder, files in folders.items():
        found.setdefault(homes[folder], []).extend(files)
    return {home: tuple(files) for home, files in found.items()}


def is_apart(files: Files) -> bool:
    """Return whether the logs of one folder are a run by themselves, no part of the one above."""
    read = Reading(0, None, in_folder=True).read(files)
    return not read or stands_alone(files[0].folder, read)


def joined(files: Files, root: Path, mapping: Mapping[str, str] | None = None) -> list[Files]:
    """Return logs of several formats in parts, each with all that belongs to its runs."""
    ranks = [[one.path for one in group] for group in _ranks_united(by_folder(files)).values()]
    parts = _united([*Loading(Found(files=list(files)), root, mapping, None).joined(), *ranks])
    home = {path: number for number, part in enumerate(parts) for path in part}
    at_folder = {file.folder: home[file.path] for file in files if file.path in home}
    found: dict[object, list[LogFile]] = {}
    for file in files:
        # what was not read, or holds nothing known, stays with its folder
        number = home.get(file.path, at_folder.get(file.folder))
        found.setdefault(file.folder if number is None else number, []).append(file)
    return [tuple(group) for group in found.values()]


def _united(groups: Sequence[Sequence[Path]]) -> list[set[Path]]:
    """Groups with a log in common, such as a database of several runs, as one."""
    found: list[set[Path]] = []
    for group in map(set, groups):
        apart = [one for one in found if one.isdisjoint(group)]
        found = [*apart, group.union(*(one for one in found if not one.isdisjoint(group)))]
    return found


def with_companions(survey: Survey, apart: Mapping[Path, bool]) -> list[Files]:
    """Return the places, those with doubt settled: `apart` says of each folder what it is."""
    clear = {files[0].folder: list(files) for files in survey.places}
    doubtful = {files[0].folder: files for files in survey.doubtful}
    own = {folder: list(files) for folder, files in doubtful.items() if apart.get(folder, True)}
    homes = clear | own
    for folder, files in doubtful.items():
        if folder not in own:
            above = next((parent for parent in folder.parents if parent in homes), None)
            homes[above].extend(files) if above is not None else None
    return [tuple(files) for files in homes.values()]


def runs_in(
    files: Files,
    root: Path,
    mapping: Mapping[str, str] | None = None,
    budget: Budget = DEFAULT,
) -> Iterator[Run]:
    """Yield the runs of one place; none when it holds no known quantity.

    Raises InputError when no log of it can be read.
    """
    loading = Loading(Found(files=list(files)), root, mapping, None, budget=budget)
    for run in loading.runs_of_part():
        yield thinned_run(redacted_run(run), budget.points)
