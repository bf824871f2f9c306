"""Which files under a path are logs, which reader reads each, and which run each belongs to."""

from __future__ import annotations

import os
import re
import stat
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Final

import spikedoc.readers
from spikedoc.errors import InputError
from spikedoc.plugins import discover
from spikedoc.readers._sniff import HEAD_BYTES, LFS_POINTER
from spikedoc.readers.base import Reader

# Bounds of the search: a folder of runs is wide, not deep.
DEEPEST_FOLDER: Final = 8
MOST_FILES: Final = 5_000
LARGEST_FILE: Final = 4_000_000_000
_SKIPPED_FOLDERS: Final = frozenset(
    {".git", "__pycache__", "node_modules", ".venv", "venv", "site-packages", ".ipynb_checkpoints"}
)
# Suffixes that are no logs when a folder is searched; a file given by itself is always tried.
_NOT_LOGS: Final = frozenset(
    [
        *(".py", ".pyc", ".ipynb", ".md", ".rst", ".html", ".css", ".js", ".sh", ".c", ".cc"),
        *(".cpp", ".cu", ".h", ".hpp", ".so", ".o", ".toml", ".cfg", ".ini", ".lock", ".yaml"),
        *(".yml", ".pt", ".pth", ".bin", ".ckpt", ".safetensors", ".keras", ".h5", ".hdf5"),
        *(".pkl", ".pickle", ".npy", ".npz", ".onnx", ".pb", ".zip", ".gz", ".tar", ".tgz"),
        *(".xz", ".zst", ".png", ".jpg", ".jpeg", ".gif", ".svg", ".pdf", ".mp4", ".wav"),
        *(".parquet", ".arrow", ".model", ".db", ".sqlite", ".wandb", ".pdparams"),
    ]
)
_NOT_LOG_NAMES: Final = re.compile(
    r"(?:.*config.*|args|.*hparams.*|tokenizer.*|vocab.*|special_tokens_map|added_tokens|merges"
    r"|package|.*_results|preprocessor.*|requirements.*|meta|index)\.(?:json|txt|csv)"
    r"|(?:license|readme|notice|authors|copying|makefile|dockerfile)(?:\..*)?",
    re.IGNORECASE,
)
# A text log that is not called one is not read: prose has numbers too.
_TEXT_SUFFIXES: Final = frozenset({"", ".log", ".txt", ".out", ".err", ".stdout", ".stderr"})
# Sub-folders that writers make for one part of the same run.
_PART_FOLDERS: Final = frozenset(
    {"train", "training", "validation", "valid", "val", "eval", "evaluation", "test", "dev"}
)
_PLAIN_PART_FOLDERS: Final = frozenset({"vis_data"})
_CHECKPOINT_FOLDER: Final = re.compile(r"checkpoint[-_]\d+|global_step\d+|tmp-checkpoint-\d+")


@dataclass(frozen=True, slots=True)
class LogFile:
    """A file to read: its reader, the folder of its run, and what goes before its tags."""

    path: Path
    reader: Reader
    folder: Path
    prefix: str = ""
    size: int = 0


@dataclass(slots=True)
class Found:
    """Outcome of a search."""

    files: list[LogFile] = field(default_factory=list)
    failures: list[InputError] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    seen: Counter[str] = field(default_factory=Counter)  # suffix → number of files


@cache
def readers() -> Mapping[str, Reader]:
    """Return the readers by module name, in the order in which they are tried."""
    return discover(spikedoc.readers, "READER")


def find(path: Path) -> Found:
    """Return the logs at or under `path`; raises InputError when the path itself cannot be used."""
    try:
        mode = path.stat().st_mode
    except FileNotFoundError:
        raise InputError(path, "no such file or folder") from None
    except OSError as error:
        raise InputError(path, _reason(error)) from None
    found = Found()
    if stat.S_ISREG(mode):
        _look_at(path, path.parent, found, given=True)
    elif stat.S_ISDIR(mode):
        for file in _walk(path, found):
            _look_at(file, path, found, given=False)
    else:
        raise InputError(path, "neither a file nor a folder", "pipes and devices are not read")
    return found


def _reason(error: OSError) -> str:
    return (error.strerror or type(error).__name__).lower()


def _walk(root: Path, found: Found) -> Iterator[Path]:
    """Regular files under `root`, folder by folder, without following links to folders."""
    folders, count = [(root, 0)], 0
    while folders:
        folder, depth = folders.pop()
        try:
            entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
        except OSError as error:
            found.notes.append(f"{folder.name}: {_reason(error)}; left out")
            continue
        below = []
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                if depth < DEEPEST_FOLDER and entry.name not in _SKIPPED_FOLDERS:
                    below.append((Path(entry.path), depth + 1))
            elif _is_regular(entry):
                count += 1
                if count > MOST_FILES:
                    found.notes.append(f"more than {MOST_FILES} files; the rest was left out")
                    return
                yield Path(entry.path)
        folders.extend(reversed(below))


def _is_regular(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_file()
    except OSError:
        return False


def _look_at(path: Path, root: Path, found: Found, *, given: bool) -> None:
    """Find the reader of a file by its first bytes; note why a likely log cannot be read."""
    found.seen[path.suffix or path.name] += 1
    if not given and not _may_be_log(path):
        return
    try:
        size = path.stat().st_size
        with path.open("rb") as file:
            head = file.read(HEAD_BYTES)
    except OSError as error:
        found.failures.append(InputError(path, _reason(error)))
        return
    failure = _unreadable(path, head, size)
    if failure is not None:
        worth_telling = "tfevents" in path.name or head.startswith(LFS_POINTER)
        if given or worth_telling or size > LARGEST_FILE:
            found.failures.append(failure)
        return
    reader = next((r for r in readers().values() if r.accepts(path, head)), None)
    if reader is None:
        if given:
            reason = "not a training log that spikedoc knows"
            hint = "known: " + ", ".join(r.name for r in readers().values())
            found.failures.append(InputError(path, reason, hint))
    elif given or reader.name != "text" or path.suffix.lower() in _TEXT_SUFFIXES:
        folder, prefix = (path.parent, "") if given else run_folder(path.parent, root)
        found.files.append(LogFile(path, reader, folder, prefix, size))


def _may_be_log(path: Path) -> bool:
    if "tfevents" in path.name:
        return True
    if path.suffix.lower() in _NOT_LOGS or path.name.startswith("."):
        return False
    return not _NOT_LOG_NAMES.fullmatch(path.name)


def _unreadable(path: Path, head: bytes, size: int) -> InputError | None:
    if not head:
        return InputError(
            path, "empty file", "the job stopped before it wrote, or the disk was full"
        )
    if head.startswith(LFS_POINTER):
        reason = "a Git LFS pointer: the log itself was not downloaded"
        return InputError(path, reason, "git lfs pull")
    if size > LARGEST_FILE:
        return InputError(path, f"{size / 1e9:.1f} GB is more than spikedoc reads", "cut the log")
    if not head.strip(b"\x00"):
        return InputError(path, "nothing but NUL bytes", "the disk lost the data")
    return None


def run_folder(folder: Path, root: Path) -> tuple[Path, str]:
    """Return the folder of the run that a log in `folder` belongs to, and the prefix of its tags.

    Folders of checkpoints and of parts (`train`, `validation` …) belong to the folder above.
    """
    prefix = ""
    while folder != root:
        name = folder.name.lower()
        if name in _PART_FOLDERS:
            prefix = f"{folder.name}/{prefix}"
        elif name not in _PLAIN_PART_FOLDERS and not _CHECKPOINT_FOLDER.fullmatch(name):
            break
        folder = folder.parent
    return folder, prefix
