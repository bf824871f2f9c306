"""Which files under a path are logs, which reader reads each, and which run each belongs to."""

from __future__ import annotations

import os
import re
import stat
from collections import Counter
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

from spikedoc.errors import NO_FILE, NO_PIPES, InputError, said_by
from spikedoc.ingest.notes import FILES, NOT_THERE, UNKNOWN_FORMAT
from spikedoc.ingest.packing import plain_path
from spikedoc.ingest.recognition import (
    LAST_READER,
    NOTHING_IN_IT,
    readers,
    recognise,
)
from spikedoc.ingest.unread import unread_store
from spikedoc.readers._notes import LEFT_OUT
from spikedoc.readers.base import FolderReader, Reader
from spikedoc.text import Text, listed

# Bounds of the search: a folder of runs is wide, not deep.
DEEPEST_FOLDER: Final = 8
MOST_FILES: Final = 5_000
_SKIPPED_FOLDERS: Final = frozenset(
    {
        ".git",
        ".trash",
        "__pycache__",
        "node_modules",
        ".venv",
        "venv",
        "site-packages",
        ".ipynb_checkpoints",
    }
)
# Suffixes that are no logs when a folder is searched; a file given by itself is always tried.
_NOT_LOGS: Final = frozenset(
    [
        *(".py", ".pyc", ".ipynb", ".md", ".rst", ".html", ".css", ".js", ".sh", ".c", ".cc"),
        *(".cpp", ".cu", ".h", ".hpp", ".so", ".o", ".toml", ".cfg", ".ini", ".lock", ".yaml"),
        *(".yml", ".pt", ".pth", ".bin", ".ckpt", ".safetensors", ".keras", ".h5", ".hdf5"),
        *(".pkl", ".pickle", ".npy", ".npz", ".onnx", ".pb", ".tar", ".tgz", ".7z", ".rar"),
        *(".png", ".jpg", ".jpeg", ".gif", ".svg", ".pdf", ".mp4", ".wav"),
        *(".model", ".pdparams", ".db-wal", ".db-shm", ".db-journal"),
    ]
)
_NOT_LOG_NAMES: Final = re.compile(
    r"(?:.*config.*|args|.*hparams.*|tokenizer.*|vocab.*|special_tokens_map|added_tokens|merges"
    r"|package|(?!.*_evaluation(?:_.*)?_results\.csv).*_results|preprocessor.*|requirements.*|meta|index|wandb-summary|.*-metadata|.*\.plx)"
    r"\.(?:json|txt|csv)"
    r"|(?:license|readme|notice|authors|copying|makefile|dockerfile)(?:\..*)?",
    re.IGNORECASE,
)
# Tables of this kind are mostly data sets: in a folder, only those called like a log are read.
_TABLE_SUFFIXES: Final = frozenset({".parquet", ".arrow", ".feather"})
_LOG_TABLE: Final = re.compile(r".*(?:history|metric|log|scalar|result|progress).*", re.IGNORECASE)
# A text log that is not called one is not read: prose has numbers too.
_TEXT_SUFFIXES: Final = frozenset({"", ".log", ".txt", ".out", ".err", ".stdout", ".stderr"})
# Sub-folders that writers make for one part of the same run.
_PART_FOLDERS: Final = frozenset(
    {
        "train",
        "training",
        "validation",
        "valid",
        "val",
        "eval",
        "evaluation",
        "test",
        "dev",
        "learn",
    }
)
_PLAIN_PART_FOLDERS: Final = frozenset({"vis_data"})
# What W&B and SwanLab call the folder of a run; `files` in it belongs to the run, the rest is
# about the tracker itself.
_TRACKER_RUN: Final = re.compile(r"(?:offline-)?run-\d{8}_\d{6}-\w+")
_TRACKER_FILES: Final = "files"
_TRACKER_FOLDERS: Final = frozenset({"logs", "debug", "tmp"})
# MLflow keeps parameters and tags, a file each, beside the metrics; deleted runs go to the bin.
_MLFLOW_RUN: Final = frozenset({"meta.yaml", "metrics"})
_MLFLOW_FOLDERS: Final = frozenset({"params", "tags", "inputs", "outputs"})
# ClearML leaves the folder that it packs.
_CLEARML_TASK: Final = re.compile(r"offline-[0-9a-f]{32}")
# Links to its own messages that W&B keeps above the runs.
_WANDB_FOLDER: Final = "wandb"
_WANDB_MESSAGES: Final = re.compile(r"debug.*\.log")
_CHECKPOINT_FOLDER: Final = re.compile(r"checkpoint[-_]\d+|global_step\d+|tmp-checkpoint-\d+")


@dataclass(frozen=True, slots=True)
class LogFile:
    """A file to read: its reader, the folder of its run, and what goes before its tags.

    `path` is a folder where a log keeps each quantity in a file of its own.
    """

    path: Path
    reader: Reader
    folder: Path
    prefix: str = ""
    size: int = 0
    packing: str = ""  # the program that packed it


@dataclass(frozen=True, slots=True)
class Bounds:
    """How far a search goes, and which files and folders it passes over."""

    deepest: int  # folders below the one that was given
    files: int
    passed_over: frozenset[Path] = frozenset()


@dataclass(slots=True)
class Found:
    """Outcome of a search."""

    files: list[LogFile] = field(default_factory=list)
    failures: list[InputError] = field(default_factory=list)
    notes: list[Text] = field(default_factory=list)
    seen: Counter[str] = field(default_factory=Counter)  # suffix → number of files


def find(path: Path, bounds: Bounds | None = None) -> Found:
    """Return the logs at or under `path`; raises InputError when the path itself cannot be used."""
    try:
        mode = path.stat().st_mode
    except FileNotFoundError:
        raise InputError(path, NOT_THERE) from None
    except OSError as error:
        raise InputError(path, said_by(error)) from None
    found = Found()
    if stat.S_ISREG(mode):
        _look_at(path, None, found, given=True)
    elif stat.S_ISDIR(mode):
        for file in _walk(path, found, bounds):
            _look_at(file, path, found, given=False)
    else:
        raise InputError(path, NO_FILE, NO_PIPES)
    return found


def find_all(paths: Sequence[Path], root: Path, bounds: Bounds | None = None) -> Found:
    """Return the logs at or under each of `paths`, which lie below `root` and are meant as logs."""
    found = Found()
    for path in paths:
        if path.is_dir():
            for file in _walk(path, found, bounds):
                _look_at(file, root, found, given=False)
        elif path.is_file():
            _look_at(path, root, found, given=True)
    return found


def _walk(root: Path, found: Found, bounds: Bounds | None) -> Iterator[Path]:
    """Regular files under `root`, folder by folder, without following links to folders."""
    bounds = bounds or Bounds(DEEPEST_FOLDER, MOST_FILES)
    folders, count = [(root, 0)], 0
    while folders:
        folder, depth = folders.pop()
        entries, below = _entries(folder, found), []
        skipped = _skipped_in(folder, {entry.name for entry in entries})
        if bounds.passed_over:
            entries = [entry for entry in entries if Path(entry.path) not in bounds.passed_over]
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                if depth < bounds.deepest and entry.name not in skipped:
                    below.append((Path(entry.path), depth + 1))
            elif _is_regular(entry):
                count += 1
                if count > bounds.files:
                    found.notes.append(FILES.fill({"most": bounds.files}))
                    return
                yield Path(entry.path)
        folders.extend(reversed(below))


def _entries(folder: Path, found: Found) -> list[os.DirEntry[str]]:
    """What lies in the folder, by name; nothing of one that is not read, which is told."""
    unread = unread_store(folder.absolute())
    if unread is not None:
        found.failures.append(unread)
        return []
    try:
        return sorted(os.scandir(folder), key=lambda entry: entry.name)
    except OSError as error:
        found.notes.append(LEFT_OUT.fill({"name": folder.name, "reason": said_by(error)}))
        return []


def _skipped_in(folder: Path, names: Set[str]) -> Set[str]:
    """Folders below `folder` that hold no logs, or the same again."""
    if names >= _MLFLOW_RUN:
        return _SKIPPED_FOLDERS | _MLFLOW_FOLDERS
    if _TRACKER_RUN.fullmatch(folder.name):
        return _SKIPPED_FOLDERS | _TRACKER_FOLDERS
    packed = {name for name in names if _CLEARML_TASK.fullmatch(name) and f"{name}.zip" in names}
    return _SKIPPED_FOLDERS | packed


def _is_regular(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_file()
    except OSError:
        return False


def _look_at(path: Path, root: Path | None, found: Found, *, given: bool) -> None:
    """Add a file that a reader knows; note why a likely log cannot be read.

    Without a `root` the file is looked at by itself, whatever folders it lies in.
    """
    found.seen[path.suffix or path.name] += 1
    if not given and not may_be_log(path):
        return
    try:
        reader, size, packing = recognise(path)
    except InputError as error:
        if given or _is_worth_telling(path, error):
            found.failures.append(error)
        return
    if reader is None:
        if given:
            names = listed(r.name for r in readers().values())
            hint = Text("known: {names}", "可识别的格式：{names}").fill({"names": names})
            found.failures.append(InputError(path, UNKNOWN_FORMAT, hint))
        return
    is_prose = reader.name == LAST_READER
    if given or not is_prose or plain_path(path).suffix.lower() in _TEXT_SUFFIXES:
        _add(LogFile(path, reader, path.parent, "", size, packing), root, found)


def _is_worth_telling(path: Path, error: InputError) -> bool:
    """Empty files and files of zeros are common in folders, and no loss."""
    return "tfevents" in path.name or error.why not in NOTHING_IN_IT


def _add(file: LogFile, root: Path | None, found: Found) -> None:
    """Add a log with the folder of its run; files of one folder log are one."""
    if root is None:
        found.files.append(file)
        return
    whole = file.reader.log_folder(file.path) if isinstance(file.reader, FolderReader) else None
    if whole is None:
        folder, prefix = run_folder(file.path.parent, root)
        found.files.append(replace(file, folder=folder, prefix=prefix))
        return
    folder, prefix = run_folder(whole, root) if whole.is_relative_to(root) else (root, "")
    last = found.files[-1] if found.files else None
    if last is not None and last.path == whole:
        found.files[-1] = replace(last, size=last.size + file.size)
    else:
        found.files.append(replace(file, path=whole, folder=folder, prefix=prefix))


def may_be_log(path: Path) -> bool:
    """Return whether a file found in a folder may be a log, by its name."""
    if "tfevents" in path.name:
        return True
    path = plain_path(path)
    suffix = path.suffix.lower()
    if suffix in _NOT_LOGS or path.name.startswith("."):
        return False
    if suffix in _TABLE_SUFFIXES and not _LOG_TABLE.fullmatch(path.stem):
        return False
    if path.parent.name == _WANDB_FOLDER and _WANDB_MESSAGES.fullmatch(path.name):
        return False
    return not _NOT_LOG_NAMES.fullmatch(path.name)


def run_folder(folder: Path, root: Path) -> tuple[Path, str]:
    """Return the folder of the run that a log in `folder` belongs to, and the prefix of its tags.

    Folders of checkpoints and of parts (`train`, `validation` …) belong to the folder above.
    """
    prefix = ""
    while folder != root:
        name = folder.name.lower()
        if name in _PART_FOLDERS:
            prefix = f"{folder.name}/{prefix}"
        elif not _is_plain_part(folder):
            break
        folder = folder.parent
    return folder, prefix


def _is_plain_part(folder: Path) -> bool:
    name = folder.name.lower()
    if name == _TRACKER_FILES:
        return _TRACKER_RUN.fullmatch(folder.parent.name) is not None
    return name in _PLAIN_PART_FOLDERS or _CHECKPOINT_FOLDER.fullmatch(name) is not None
