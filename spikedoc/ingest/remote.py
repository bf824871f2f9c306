"""Logs that are not on this disk: addresses through fsspec, and streams; read from a copy."""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path, PurePosixPath
from typing import Any, BinaryIO, Final
from urllib.parse import unquote

from spikedoc.errors import InputError
from spikedoc.ingest.discovery import DEEPEST_FOLDER, MOST_FILES, may_be_log
from spikedoc.model.run import Run
from spikedoc.text import Text

STANDARD_INPUT: Final = "-"
# Bytes that are copied in all; a folder of runs with scalars is far smaller.
MOST_FETCHED: Final = 2_000_000_000
_BLOCK: Final = 1_000_000
# Settings beside the logs are copied too when they are short.
_SETTINGS: Final = frozenset({".json", ".yaml", ".yml"})
LARGEST_SETTINGS: Final = 1_000_000
# Protocols that are followed, and the package that fsspec needs for each. Others, such as those
# that open archives or run commands on other machines, are not.
PACKAGES: Final = {
    "memory": "", "s3": "s3fs", "s3a": "s3fs", "gs": "gcsfs", "gcs": "gcsfs",
    "hf": "huggingface-hub", "http": "aiohttp", "https": "aiohttp", "az": "adlfs",
    "abfs": "adlfs", "abfss": "adlfs", "oss": "ossfs", "sftp": "paramiko",
}  # fmt: skip
_FILE: Final = "file"
# `Path` makes one slash of the two.
_ADDRESS: Final = re.compile(r"([a-z][a-z0-9]+):/{1,3}(?!/)(.*)", re.DOTALL)
_PASSWORD: Final = re.compile(r"^[^/@]*@")
PATTERN: Final = re.compile(r"[*?\[]")
_MOST_REASON: Final = 200

NOT_FETCHED: Final = Text("cannot be fetched: {reason}", "无法获取：{reason}")
NOT_READ: Final = Text("cannot be read: {reason}", "无法读取：{reason}")
NOT_LISTED: Final = Text("cannot be listed: {reason}", "无法列出：{reason}")
NOTHING_THERE: Final = Text("no such file or folder", "没有该文件或目录")

Shown = Callable[[Run], Run]
Copied = tuple[Path, Shown, tuple[Text, ...]]  # where the copy is, names put right, notes
BEYOND: Final = Text("{name}: beyond what is fetched; left out", "{name}：超出下载上限，已略去")
FIRST_PART: Final = Text(
    "{name}: only the first {size} GB were read", "{name}：只读取了前 {size} GB"
)


def is_address(path: Path | str) -> bool:
    """Return whether `path` is the address of a remote log rather than a name on this disk."""
    match = _ADDRESS.fullmatch(str(path))
    return match is not None and (match[1] in PACKAGES or match[1] == _FILE)


def local_path(path: Path | str) -> Path | None:
    """Return the path in a `file://` address; None for other addresses."""
    match = _ADDRESS.fullmatch(str(path))
    return Path("/" + unquote(match[2])) if match is not None and match[1] == _FILE else None


@contextmanager
def fetched(address: Path | str) -> Iterator[Copied]:
    """Copy the logs at `address` to a folder that is deleted afterwards.

    Raises InputError when the package for the protocol is missing or nothing can be read.
    """
    protocol, url, public = split_address(str(address))
    with tempfile.TemporaryDirectory(prefix="spikedoc-") as folder:
        notes: list[Text] = []
        # A backend raises whatever its own packages raise; none of it is a fault of this program.
        try:
            place, base = _fetch(file_system(protocol, public), url, Path(folder), notes)
        except InputError:
            raise
        except Exception as error:
            raise InputError(public, NOT_FETCHED.fill({"reason": first_line(error)})) from None
        with _named(place, base if base is not None else public) as shown:
            yield place, shown, tuple(notes)


def split_address(address: str) -> tuple[str, str, str]:
    """Return protocol, address in full, and the address without a password.

    Raises InputError for what is none.
    """
    match = _ADDRESS.fullmatch(address)
    if match is None:
        raise InputError(address, Text("not an address", "不是地址"))
    protocol, rest = match[1], match[2]
    return protocol, f"{protocol}://{rest}", f"{protocol}://{_PASSWORD.sub('', rest)}"


def first_line(error: Exception) -> Text:
    """Return what a backend says about a failure, in one line."""
    if isinstance(error, FileNotFoundError) and _ADDRESS.fullmatch(str(error)):
        # aiohttp's reason lies below; a server that answered has no such file
        error = (
            error.__cause__ if isinstance(error.__cause__, Exception) else OSError(NOTHING_THERE.en)
        )
    text = str(error).strip().splitlines()
    told = (text[0] if text else type(error).__name__)[:_MOST_REASON]
    return NOTHING_THERE if told == NOTHING_THERE.en else Text(told, told)


def file_system(protocol: str, public: str) -> Any:
    """Return fsspec's file system; raises InputError when its package is missing."""
    try:
        import fsspec

        return fsspec.filesystem(protocol)
    except ImportError as error:
        package = PACKAGES[protocol]
        line = first_line(error)
        install = Text(f"pip install {package}", f"请运行 pip install {package}")
        told = Text(f"{protocol}:// needs a further package", f"{protocol}:// 还需要一个软件包")
        raise InputError(public, told, install if package else line) from None


def _fetch(fs: Any, url: str, folder: Path, notes: list[Text]) -> tuple[Path, str | None]:
    """Copy what may be a log; returns the file or folder to read, and what it stands for."""
    is_web = url.startswith("http")
    path = url if is_web else str(fs._strip_protocol(url)).rstrip("/")
    budget = _Budget(notes)
    if PATTERN.search(path) and not is_web:
        top = path[: PATTERN.search(path).start()].rpartition("/")[0]  # type: ignore[union-attr]
        place = folder / (PurePosixPath(top).name or "logs")
        for name in sorted(fs.glob(path))[:MOST_FILES]:
            _copy_tree(fs, name, top, place, budget)
        return place, None
    if is_web or fs.isfile(path):
        place = folder / (PurePosixPath(path.partition("?")[0]).name or "log")
        budget.copy(fs, path, place)
        return place, None
    if not fs.isdir(path):
        raise FileNotFoundError(NOTHING_THERE.en)
    place = folder / (PurePosixPath(path).name or "logs")
    _copy_tree(fs, path, path, place, budget)
    return place, None


def _copy_tree(fs: Any, path: str, top: str, place: Path, budget: _Budget) -> None:
    place.mkdir(parents=True, exist_ok=True)
    if fs.isfile(path):
        budget.copy(fs, path, _below(place, path, top))
        return
    for above, folders, files in fs.walk(path, maxdepth=DEEPEST_FOLDER, detail=True):
        for name, info in sorted(files.items()):
            if budget.is_spent:
                return
            if not name or name in folders:
                continue  # an empty object that stands for a folder, as S3's console makes it
            size = int(info.get("size") or 0)
            settings = PurePosixPath(name).suffix.lower() in _SETTINGS and size <= LARGEST_SETTINGS
            if settings or may_be_log(Path(name)):
                remote = f"{above.rstrip('/')}/{name}"
                budget.copy(fs, remote, _below(place, remote, top), size)


def _below(place: Path, remote: str, top: str) -> Path:
    """Where a remote file goes below `place`, whatever its name says."""
    relative = remote.removeprefix("/").removeprefix(top.strip("/"))
    parts = [part for part in PurePosixPath(relative).parts if part not in ("..", "/")]
    return place.joinpath(*(parts or ["log"]))


class _Budget:
    """Copies files until the bytes or files allowed are used up."""

    def __init__(self, notes: list[Text]) -> None:
        self._notes = notes
        self._bytes = MOST_FETCHED
        self._files = MOST_FILES
        self.is_spent = False

    def copy(self, fs: Any, remote: str, target: Path, size: int = 0) -> None:
        """Copy a file; one larger than what is left is passed over with a note."""
        if size > self._bytes or not self._files:
            self._notes.append(BEYOND.fill({"name": target.name}))
            self.is_spent = not self._files
            return
        self._files -= 1
        target.parent.mkdir(parents=True, exist_ok=True)
        with fs.open(remote, "rb") as source:
            self._bytes -= _spool(source, target, self._bytes, self._notes)


def _spool(source: BinaryIO, target: Path, bound: int, notes: list[Text]) -> int:
    done = 0
    with target.open("wb") as file:
        while block := source.read(min(_BLOCK, bound - done)):
            done += file.write(block)
    if done >= bound:
        notes.append(FIRST_PART.fill({"name": target.name, "size": f"{done / 1e9:.1f}"}))
    return done


@contextmanager
def spooled(stream: BinaryIO, name: str) -> Iterator[Copied]:
    """Copy a stream to a file that is deleted afterwards; raises InputError when it fails."""
    with tempfile.TemporaryDirectory(prefix="spikedoc-") as folder:
        place = Path(folder) / (Path(name).name or "stdin")
        notes: list[Text] = []
        try:
            _spool(stream, place, MOST_FETCHED, notes)
        except (OSError, ValueError) as error:
            raise InputError(name, NOT_READ.fill({"reason": first_line(error)})) from None
        with _named(place, name) as shown:
            yield place, shown, tuple(notes)


@contextmanager
def _named(place: Path, name: str) -> Iterator[Shown]:
    """Give the function that puts `name` where runs say `place`; errors are put right as well."""

    def renamed(text: str) -> str:
        return text.replace(str(place), name).replace(str(place.parent) + os.sep, "")

    def told(note: Text) -> Text:
        return Text(renamed(note.en), renamed(note.zh))

    def shown(run: Run) -> Run:
        sources = tuple(
            replace(one, path=renamed(one.path), notes=tuple(map(told, one.notes)))
            for one in run.sources
        )
        notes = tuple(map(told, run.notes))
        return replace(run, path=renamed(run.path), sources=sources, notes=notes)

    try:
        yield shown
    except InputError as error:
        raise InputError(renamed(error.path), told(error.why), error.advice) from None
