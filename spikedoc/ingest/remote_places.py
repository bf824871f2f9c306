"""The places of a tree in a remote store, told from its listing alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path, PurePosixPath
from typing import Any, Final

from spikedoc.errors import InputError
from spikedoc.ingest.discovery import may_be_log, run_folder
from spikedoc.ingest.remote import (
    NOT_LISTED,
    NOTHING_THERE,
    PATTERN,
    file_system,
    first_line,
    split_address,
)
from spikedoc.text import Text

# What stores say of a file that changes with its content, the best first: a copy has the same.
_CONTENT: Final = ("ETag", "md5Hash", "crc32c", "checksum", "blob_id", "etag")
# Where a store says none of it, the time does.
_TIMES: Final = ("LastModified", "last_modified", "mtime", "updated", "created")
_Files = dict[str, dict[str, Any]]  # what the store says of each, by its name below the root
NO_LISTING: Final = Text(
    "cannot be searched: web servers give no listing", "无法搜索：网页服务器不提供列表"
)


@dataclass(frozen=True, slots=True)
class RemotePlace:
    """A folder that is fetched and read by itself, with all below it."""

    address: str
    path: str  # below the root
    size: int  # bytes of what may be logs
    modified: float  # of the newest, seconds since 1970; 0.0 unknown
    marks: tuple[str, ...]  # change when a file does


def remote_places(address: str) -> list[RemotePlace]:
    """Return the topmost folders with logs below `address`, or below what a pattern matches.

    Files that a pattern matches are a place with those beside them. Raises InputError when the
    store cannot be listed.
    """
    protocol, url, public = split_address(address)
    if protocol in ("http", "https"):
        raise InputError(public, NO_LISTING)
    try:
        found = _listed(file_system(protocol, public), url)
    except InputError:
        raise
    except Exception as error:  # a backend raises whatever its packages raise
        raise InputError(public, NOT_LISTED.fill({"reason": first_line(error)})) from None
    if not found.files and not found.matched:
        raise InputError(public, NOTHING_THERE)
    homes = _topmost({name: _home(name) for name in found.files if may_be_log(Path(name))})
    inside = _inside(homes, found.files)
    places = [_place(found.url, home, inside[home]) for home in homes]
    return places + _matched_places(found, url.rpartition("/")[2])


@dataclass(frozen=True, slots=True)
class _Listing:
    """What there is: in folders, and as files that a pattern matched; names are below `url`."""

    url: str
    files: _Files
    matched: _Files


def _listed(fs: Any, url: str) -> _Listing:
    path = str(fs._strip_protocol(url)).rstrip("/")
    pattern = PATTERN.search(path)
    if pattern is None:
        return _Listing(url, _named(fs.find(path, detail=True), path), {})
    top = path[: pattern.start()].rpartition("/")[0]
    files: _Files = {}
    matched: _Files = {}
    for name, info in fs.glob(path, detail=True).items():
        if info.get("type") == "directory":
            files |= _named(fs.find(name, detail=True), top)
        else:
            matched |= _named({name: info}, top)
    above = url[: PATTERN.search(url).start()].rpartition("/")[0]  # type: ignore[union-attr]
    return _Listing(above, files, {n: i for n, i in matched.items() if n not in files})


def _named(listing: _Files, top: str) -> _Files:
    return {_below(name, top): info for name, info in listing.items()}


def _matched_places(found: _Listing, last: str) -> list[RemotePlace]:
    """A place for each folder with matching files; `last` is the last part of the pattern."""
    folders: dict[str, _Files] = {}
    for name, info in found.matched.items():
        folders.setdefault(PurePosixPath(name).parent.as_posix(), {})[name] = info
    places = [_place(found.url, folder, inside) for folder, inside in sorted(folders.items())]
    return [replace(one, address=f"{one.address}/{last}") for one in places]


def _inside(homes: Sequence[str], files: _Files) -> dict[str, _Files]:
    """The files of each home, with all that lies below it."""
    found: dict[str, _Files] = {home: {} for home in homes}
    for name, info in files.items():
        above = (parent.as_posix() for parent in PurePosixPath(name).parents)
        home = next((parent for parent in above if parent in found), None)
        if home is not None:
            found[home][name] = info
    return found


def _below(name: str, top: str) -> str:
    relative = name.lstrip("/").removeprefix(top.lstrip("/")).lstrip("/")
    return relative or PurePosixPath(name).name


def _home(name: str) -> str:
    """The folder of the run that a log belongs to, by its names alone."""
    folder, _ = run_folder(Path(name).parent, Path())
    return folder.as_posix()


def _topmost(homes: dict[str, str]) -> list[str]:
    """The folders that do not lie in another one."""
    found = set(homes.values())
    if "." in found:
        return ["."]
    return sorted(
        home
        for home in found
        if not any(p.as_posix() in found for p in PurePosixPath(home).parents)
    )


def _place(url: str, home: str, inside: _Files) -> RemotePlace:
    logs = [info for name, info in inside.items() if may_be_log(Path(name))]
    return RemotePlace(
        address=url if home == "." else f"{url.rstrip('/')}/{home}",
        path=home,
        size=sum(int(info.get("size") or 0) for info in logs),
        modified=max((_time(info) for info in logs), default=0.0),
        marks=tuple(mark for name in sorted(inside) for mark in _marks(name, inside[name])),
    )


def _marks(name: str, info: dict[str, Any]) -> tuple[str, ...]:
    of_content = next((str(info[mark]) for mark in _CONTENT if info.get(mark)), None)
    times = (str(info[mark]) for mark in _TIMES if mark in info)
    return (name, str(info.get("size")), *(times if of_content is None else (of_content,)))


def _time(info: dict[str, Any]) -> float:
    for name in _TIMES:
        value = info.get(name)
        if isinstance(value, int | float):
            return float(value)
        if isinstance(value, datetime):
            return value.timestamp()
    return 0.0
