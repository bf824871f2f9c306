"""The key of a place: the same as long as what is read there, and what reads it, are the same.

Logs grow at their end or are written anew, so size, first and last bytes tell whether one changed
without reading it; times of files do not count, and a copy elsewhere has the same key.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, Final

from spikedoc.model.budget import DEFAULT, Budget
from spikedoc.version import VERSION

if TYPE_CHECKING:
    from spikedoc.ingest.places import Files

# Read at each end of a file.
END_BYTES: Final = 4096
KEY_BYTES: Final = 16
# Files of a log that is a folder, and of settings beside one, that are looked at.
MOST_ENTRIES: Final = 2_000
_SETTINGS: Final = frozenset({".json", ".yaml", ".yml", ".toml", ".py", ".md"})


def digest(parts: Iterable[str | bytes]) -> str:
    """Return a key of texts and bytes; where one ends and the next begins matters."""
    found = blake2b(digest_size=KEY_BYTES)
    for part in parts:
        data = part.encode("utf-8", "surrogateescape") if isinstance(part, str) else part
        found.update(len(data).to_bytes(8, "little"))
        found.update(data)
    return found.hexdigest()


def method_key(rules: Path | None, mapping: Mapping[str, str], budget: Budget = DEFAULT) -> str:
    """Return the key of what reads: version, rules, roles given by hand, what may be kept."""
    files = sorted(rules.glob("*.toml")) if rules is not None else []
    return digest(
        [
            VERSION,
            *(part for pair in sorted(mapping.items()) for part in pair),
            *([repr(budget)] if budget != DEFAULT else []),
            *(part for file in files for part in (file.name, _content(file))),
        ]
    )


def _content(file: Path) -> bytes:
    try:
        return file.read_bytes()
    except OSError:
        return b""


def place_key(files: Files, root: Path, method: str) -> str:
    """Return the key of a place below `root`, read by `method`."""
    parts: list[str | bytes] = [method]
    for file in sorted(files, key=lambda one: str(one.path)):
        parts.extend(_parts_of(file.path, root))
    for folder in sorted({file.folder for file in files}):
        for path in _settings_in(folder):
            parts.extend(_parts_of(path, root))
    return digest(parts)


def newest(files: Files) -> float:
    """Return when the newest file of a place was written, in seconds since 1970; 0.0 unknown."""
    times = [_modified(path) for file in files for path in _files_of(file.path)]
    return max(times, default=0.0)


def _modified(path: Path) -> float:
    try:
        return path.stat().st_mtime
    except OSError:
        return 0.0


def _parts_of(path: Path, root: Path) -> Iterator[str | bytes]:
    for file in _files_of(path):
        yield _name(file, root)
        size, first, last = _ends(file)
        yield str(size)
        yield first
        yield last


def _name(path: Path, root: Path) -> str:
    return path.relative_to(root).as_posix() if path.is_relative_to(root) else path.name


def _files_of(path: Path) -> list[Path]:
    """The file itself, or those in a log that is a folder."""
    if not path.is_dir():
        return [path]
    found: list[Path] = []
    for above, folders, names in os.walk(path):
        folders.sort()
        found.extend(Path(above) / name for name in sorted(names))
        if len(found) >= MOST_ENTRIES:
            break
    return found[:MOST_ENTRIES]


def _ends(path: Path) -> tuple[int, bytes, bytes]:
    """Size, first and last bytes; of a file that cannot be read, nothing."""
    try:
        with path.open("rb") as file:
            first = file.read(END_BYTES)
            size = file.seek(0, os.SEEK_END)
            file.seek(max(len(first), size - END_BYTES))
            return size, first, file.read(END_BYTES)
    except OSError:
        return -1, b"", b""


def _settings_in(folder: Path) -> list[Path]:
    """Files beside the logs that may say how the run was set up."""
    try:
        with os.scandir(folder) as entries:
            found = [Path(one.path) for one in entries if _is_setting(one)]
    except OSError:  # a run inside a file has no folder
        return []
    return sorted(found)[:MOST_ENTRIES]


def _is_setting(entry: os.DirEntry[str]) -> bool:
    if os.path.splitext(entry.name)[1].lower() not in _SETTINGS:  # noqa: PTH122  a million times
        return False
    try:
        return entry.is_file()
    except OSError:
        return False
