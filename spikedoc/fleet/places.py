"""The places of a root as tasks; what only reading can tell is asked of the engine."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from spikedoc.errors import InputError
from spikedoc.fleet.engines.base import Engine
from spikedoc.fleet.key import digest, method_key, newest, place_key
from spikedoc.fleet.record import Record, State
from spikedoc.fleet.schedule import carried_out
from spikedoc.fleet.task import Method, Task, cut
from spikedoc.text import Text

if TYPE_CHECKING:
    from spikedoc.ingest.places import Files, Survey

# Folders asked about at a time: each is read, not diagnosed.
ASKED_AT_ONCE: Final = 16


@dataclass(frozen=True, slots=True)
class Sought:
    """What concerns the search in all roots."""

    method: Method
    known: Collection[str] = ()  # keys of places with results
    together: Collection[tuple[str, ...]] = ()  # folders below a root that were one place
    passed_over: tuple[Path, ...] = ()
    seen: set[Path] = field(default_factory=set)  # files that are in a place


@dataclass(frozen=True, slots=True)
class Places:
    """What a root holds; a task is made when it is its turn, because its key costs time."""

    tasks: tuple[Callable[[], Task], ...]
    unreadable: tuple[Record, ...] = ()
    notes: tuple[Text, ...] = ()


def tasks_at(root: str, sought: Sought, engine: Engine) -> Places:
    """Return the places at `root`: a folder, a file, a pattern or an address.

    Raises InputError when the root itself cannot be used.
    """
    from spikedoc.ingest.places import survey
    from spikedoc.ingest.remote import is_address, local_path

    method = method_key(sought.method.rules, sought.method.mapping, sought.method.budget)
    if is_address(root) and local_path(root) is None:
        return _remote(root, method)
    root = str(local_path(root) or root)
    found = survey(Path(root), sought.passed_over)
    places = [*_settled(found, sought, method, engine)]
    named = _named(places, found.root)
    tasks = [
        partial(_task, root, found.root, path, files, method)
        for path, files in named
        if not sought.seen.issuperset(_paths(files))
    ]
    for files in places:
        sought.seen.update(_paths(files))
    unreadable = tuple(_unreadable(root, found.root, error) for error in found.failures)
    return Places(tuple(tasks), unreadable, found.notes)


def _remote(root: str, method: str) -> Places:
    from spikedoc.ingest.remote import split_address
    from spikedoc.ingest.remote_places import RemotePlace, remote_places

    public = split_address(root)[2]

    def task(place: RemotePlace) -> Task:
        return Task(
            root=public,
            base=Path(),
            path=place.path,
            key=digest([method, place.path, *place.marks]),
            files=(),
            size=place.size,
            modified=place.modified,
            address=place.address,
        )

    return Places(tuple(partial(task, place) for place in remote_places(root)))


def _paths(files: Files) -> set[Path]:
    return {file.path.absolute() for file in files}


def _settled(found: Survey, sought: Sought, method: str, engine: Engine) -> list[Files]:
    """The places, with the questions answered that only reading can answer."""
    from spikedoc.ingest.places import by_folder, is_apart, joined, with_companions

    before = _Before(sought, found.root, method)
    apart = before.apart(found)
    asked = [files for files in found.doubtful if files[0].folder not in apart]
    batches = [asked[at : at + ASKED_AT_ONCE] for at in range(0, len(asked), ASKED_AT_ONCE)]
    for results in carried_out(engine, _calm(is_apart), batches):
        apart.update((files[0].folder, answer is not False) for files, answer in results)
    places = with_companions(found, apart)
    join = _calm(partial(joined, root=found.root, mapping=sought.method.mapping))
    compared = []
    for files in found.compared:
        same, others = before.split(files)
        places.extend(same)
        compared.extend([[others]] if others else [])
    for results in carried_out(engine, join, compared):
        for files, parts in results:
            places.extend(parts if parts is not None else by_folder(files).values())
    return places


@dataclass(frozen=True, slots=True)
class _Before:
    """What an earlier scan found out: an unchanged place is not asked about again."""

    sought: Sought
    root: Path
    method: str

    def apart(self, found: Survey) -> dict[Path, bool]:
        """Return of doubtful folders whether they were a place by themselves."""
        doubtful = {files[0].folder: files for files in found.doubtful}
        folders = {files[0].folder: files for files in found.places} | doubtful
        answers = {folder: True for folder, files in doubtful.items() if self._is_known(files)}
        for group in self._groups(folders):
            top = min(group, key=lambda folder: len(folder.parts))
            answers |= {folder: folder == top for folder in group if folder in doubtful}
        return answers

    def split(self, files: Files) -> tuple[list[Files], Files]:
        """Return the places among logs of several formats that are as before, and the rest."""
        from spikedoc.ingest.places import by_folder

        folders = by_folder(files)
        groups = [{folder} for folder, own in folders.items() if self._is_known(own)]
        groups += self._groups(folders)
        settled = set[Path]().union(*groups)
        same = [tuple(one for one in files if one.folder in group) for group in groups]
        return same, tuple(one for one in files if one.folder not in settled)

    def _groups(self, folders: Mapping[Path, Files]) -> list[set[Path]]:
        """The folders that were one place, and are unchanged."""
        if not self.sought.together:
            return []
        named = {_below(folder, self.root): folder for folder in folders}
        found: list[set[Path]] = []
        for names in self.sought.together:
            group = {named[name] for name in names if name in named}
            files = tuple(file for folder in group for file in folders[folder])
            if len(group) == len(names) and self._is_known(files):
                found.append(group)
        return found

    def _is_known(self, files: Files) -> bool:
        return place_key(files, self.root, self.method) in self.sought.known


@dataclass(frozen=True, slots=True)
class _Calm:
    """Answers None where the question itself fails: the place will tell when it is diagnosed."""

    ask: Callable[[Any], Any]

    def __call__(self, files: Files) -> Any:
        try:
            return self.ask(files)
        except Exception:  # whatever a damaged log may cause
            return None


def _calm(ask: Callable[[Any], Any]) -> _Calm:
    return _Calm(ask)


def _named(places: list[Files], root: Path) -> list[tuple[str, Files]]:
    """The places with their paths below the root, each a different one."""
    taken: dict[str, int] = {}
    named = []
    for files in places:
        path = _below(files[0].folder, root)
        if path in taken:
            path = _below(files[0].path, root)
        taken[path] = taken.get(path, 0) + 1
        named.append((path if taken[path] == 1 else f"{path} ({taken[path]})", files))
    return named


def _below(path: Path, root: Path) -> str:
    if root.is_file() or not path.is_relative_to(root):
        return path.name
    return path.relative_to(root).as_posix()


def _task(root: str, base: Path, path: str, files: Files, method: str) -> Task:
    folders = sorted({_below(file.folder, base) for file in files})
    return Task(
        root=root,
        base=base,
        path=path,
        folders=tuple(folders) if len(folders) > 1 else (),
        key=place_key(files, base, method),
        files=files,
        size=sum(file.size for file in files),
        modified=newest(files),
    )


def _unreadable(root: str, base: Path, error: InputError) -> Record:
    """The record of a file that is a log by its name, and damaged beyond recognition."""
    path = _below(Path(error.path), base)
    key = digest(["unreadable", path, error.reason])
    told = cut(error.text)
    return Record(root=root, path=path, key=key, status=State.UNREADABLE, **told)
