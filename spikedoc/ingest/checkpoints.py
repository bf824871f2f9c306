"""Saved states found in a run folder, by name alone: weight files are never opened."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Final

from spikedoc.model.run import Checkpoint

DEEPEST_FOLDER: Final = 4
MOST_ENTRIES: Final = 5_000
# A folder of more entries is a place for everything, such as /tmp, not the folder of one run.
MOST_BESIDE: Final = 200
# Where Lightning, Accelerate and Ultralytics put the states of the log beside it.
_FOLDERS_OF_STATES: Final = frozenset({"checkpoints", "weights"})
# Names with these words are unfinished, or hold a state already destroyed.
_UNFINISHED: Final = re.compile(
    r"tmp|incomplete|unfinished|partial|=(?:nan|[-+]?inf)(?![a-z])|bad-model|corrupt", re.IGNORECASE
)
# NeMo leaves this marker beside a state until it is whole.
_MARKER: Final = "-unfinished"
# Folders that are a checkpoint; the first group is the step.
_FOLDERS: Final = (
    re.compile(r"checkpoint[-_](\d+)"),
    re.compile(r"global_step[-_]?(\d+)"),
    re.compile(r"step[-_=]?(\d+)(?:-unsharded)?"),
    re.compile(r"iter[-_](\d+)"),
    re.compile(r"ep\d+-ba(\d+)"),
    re.compile(r".*[-_]?step=(\d+).*\.ckpt"),
    re.compile(r".*[-_]step=(\d+)(?:-[a-z_]+=[\d.]+)*(?:-last)?"),
    re.compile(r".*step[-_=](\d+)(?:[-_].*)?\.(?:ckpt|pth?|zarr)"),
)
_FILES: Final = (
    *_FOLDERS[5:],
    re.compile(r"checkpoint[-_](\d+)\.(?:pt|pth|ckpt|bin)"),
    re.compile(r"checkpoint-(\d+)\.pth\.tar"),  # timm: the epoch, which its table counts
    re.compile(r"checkpoint_\d+_(\d+)\.pt"),
    re.compile(r"ep\d+-ba(\d+)(?:-rank\d+)?\.pt"),
    re.compile(r"(?:model|iter|ckpt)[-_](\d+)\.(?:pt|pth|ckpt)"),
    re.compile(r"rl_model_(\d+)_steps\.zip"),
    re.compile(r"(?:ckpt|model|step)[-_]?0*(\d+)\.(?:pt|pth|ckpt|safetensors|keras|h5)"),
    re.compile(r"checkpoint[-_](\d+)\.(?:safetensors|keras|h5)"),
)
# Ultralytics counts the epoch in a file name from 0, in its table from 1.
_FROM_ZERO: Final = re.compile(r"epoch(\d+)\.pt")
_ULTRALYTICS_FOLDER: Final = "weights"
# A folder called by a number alone is a state only if one of these lies in it.
_NUMBER: Final = re.compile(r"\d{1,9}")
_INSIDE_NUMBER: Final = frozenset({"checkpoint_metadata.json", "_CHECKPOINT_METADATA", "items"})
# Accelerate counts its own saves from 0; these files tell its folders.
_COUNTED_SAVE: Final = re.compile(r"checkpoint_\d+")
_OF_ACCELERATE: Final = "random_states_0.pkl"
_WEIGHTS: Final = r"\.(?:pt|pth|ckpt|pth\.tar|keras|h5|hdf5|pdparams|zip)"
# States whose names hold no step: the newest, the best, or one named by its epoch.
_WITHOUT_STEP: Final = (
    re.compile(
        rf"(?:last|best|latest|final|ckpt|checkpoint|model_final|model_best|best_model"
        rf"|best_accuracy|checkpoint[_.](?:last|best|latest|final)(?:_.*)?)(?:-v\d+)?{_WEIGHTS}"
    ),
    re.compile(rf"(?:.*[-_])?epoch[-_=]?\d+.*{_WEIGHTS}"),
    re.compile(rf"\d+epoch{_WEIGHTS}|checkpoint\d+{_WEIGHTS}|\d+\.pdparams"),
    re.compile(rf"(?:best|valid)[._-].*{_WEIGHTS}|recovery-\d+-\d+{_WEIGHTS}"),
    re.compile(r".*\.\d{2,5}-[\d.]+\.(?:keras|weights\.h5|h5|hdf5)"),
)
# Lightning makes a folder of a metric's slash: epoch=0-step=20-val/loss=0.1.ckpt.
_SPLIT_NAME: Final = re.compile(r"(?:.*-)?step=(\d+)(?:-.*)?/.*=.*\.ckpt")
# Files that name the newest state that is whole; what is newer was cut off.
_POINTERS: Final = ("latest_checkpointed_iteration.txt", "latest", "latest.txt")
LONGEST_POINTER: Final = 200
# What the Trainer writes last into a checkpoint, and torch's distributed writer likewise.
_WRITTEN_LAST: Final = {"trainer_state.json": "checkpoint-", ".metadata": "step-"}
# The newest state is cut off when it is smaller than this share of the others.
LEAST_SIZE_SHARE: Final = 0.5


@dataclass(frozen=True, slots=True)
class _Found:
    checkpoint: Checkpoint
    entry: os.DirEntry[str]
    is_folder: bool


def find_checkpoints(folder: Path, shown_from: Path | None = None) -> tuple[Checkpoint, ...]:
    """Return the saved states under `folder`, those with a step first and ascending.

    A step is on the axis of the log: where a framework counts saves or epochs in the name from
    another start, it is moved; where the name tells nothing on that axis, it is None. States that
    are unfinished by their name, by a pointer to the newest whole one, or beside their siblings
    are left out. Paths are relative to `shown_from` (default: `folder`) where they lie below it.
    """
    base = shown_from or folder
    found: list[Checkpoint] = []
    pending, count = [(folder, 0)], 0
    while pending:
        place, depth = pending.pop()
        entries = _entries(place, MOST_ENTRIES)
        count += len(entries)
        if count > MOST_ENTRIES:
            break
        states = _states(entries, base)
        found.extend(state.checkpoint for state in _whole(states, entries))
        names = {state.entry.name for state in states}
        if depth < DEEPEST_FOLDER:
            pending.extend(
                (Path(entry.path), depth + 1)
                for entry in entries
                if entry.name not in names and _may_hold_states(entry)
            )
    return _ordered(found)


def checkpoints_beside(log: Path) -> tuple[Checkpoint, ...]:
    """Return the saved states that lie right beside a log given by itself, as `find_checkpoints`.

    No folder is searched but one for states; beside many files, which are of anyone, are none.
    """
    beside = _entries(log.parent, MOST_BESIDE)
    if len(beside) > MOST_BESIDE:
        return ()
    inside = [
        _entries(Path(entry.path), MOST_BESIDE)
        for entry in beside
        if entry.name in _FOLDERS_OF_STATES and entry.is_dir(follow_symlinks=False)
    ]
    found: list[Checkpoint] = []
    for entries in (beside, *inside):
        if len(entries) <= MOST_BESIDE:
            states = _states(entries, log.parent)
            found.extend(state.checkpoint for state in _whole(states, entries))
    return _ordered(found)


def _entries(place: Path, most: int) -> list[os.DirEntry[str]]:
    """The entries by name; when there are more than `most`, one more of them than that."""
    try:
        with os.scandir(place) as entries:
            return sorted(islice(entries, most + 1), key=lambda entry: entry.name)
    except OSError:
        return []


def _states(entries: Sequence[os.DirEntry[str]], base: Path) -> list[_Found]:
    names = frozenset(entry.name for entry in entries)
    return [state for entry in entries if (state := _state(entry, base, names)) is not None]


def _may_hold_states(entry: os.DirEntry[str]) -> bool:
    is_folder = entry.is_dir(follow_symlinks=False)
    return is_folder and not entry.name.startswith(".") and not _UNFINISHED.search(entry.name)


def _state(entry: os.DirEntry[str], root: Path, siblings: frozenset[str]) -> _Found | None:
    if _UNFINISHED.search(entry.name):
        return None
    if entry.name + _MARKER in siblings:
        return None
    is_folder = entry.is_dir(follow_symlinks=False)
    full = Path(entry.path)
    step, is_state = _step_of_folder(full) if is_folder else _step_of_file(full)
    if not is_state:
        return None
    path = (full.relative_to(root) if full.is_relative_to(root) else full).as_posix()
    return _Found(Checkpoint(step, path), entry, is_folder)


def _step_of_folder(full: Path) -> tuple[int | None, bool]:
    if _NUMBER.fullmatch(full.name):
        inside = {entry.name for entry in _entries(full, MOST_ENTRIES)}
        return int(full.name), not inside.isdisjoint(_INSIDE_NUMBER)
    is_counted = _COUNTED_SAVE.fullmatch(full.name) and full.parent.name == "checkpoints"
    if is_counted and (full / _OF_ACCELERATE).exists():
        return None, True
    step = _first_match(full.name, _FOLDERS)
    return step, step is not None


def _step_of_file(full: Path) -> tuple[int | None, bool]:
    from_zero = _FROM_ZERO.fullmatch(full.name)
    if from_zero and full.parent.name == _ULTRALYTICS_FOLDER:
        return int(from_zero.group(1)) + 1, True
    split = _SPLIT_NAME.fullmatch(f"{full.parent.name}/{full.name}")
    if split:
        return int(split.group(1)), True
    step = _first_match(full.name, _FILES)
    is_state = step is not None or any(p.fullmatch(full.name) for p in _WITHOUT_STEP)
    return step, is_state


def _first_match(name: str, patterns: Sequence[re.Pattern[str]]) -> int | None:
    for pattern in patterns:
        match = pattern.fullmatch(name)
        if match:
            return int(match.group(1))
    return None


def _whole(states: Sequence[_Found], entries: Sequence[os.DirEntry[str]]) -> Iterator[_Found]:
    """The states of one folder without those that were cut off while they were written."""
    newest_whole = _pointed_at(entries)
    cut_off = _cut_off(states)
    for state in states:
        step = state.checkpoint.step
        is_newer = newest_whole is not None and step is not None and step > newest_whole
        if state is not cut_off and not (state.is_folder and is_newer) and _is_closed(state):
            yield state


def _pointed_at(entries: Sequence[os.DirEntry[str]]) -> int | None:
    """The step that a pointer beside the states gives for the newest whole one."""
    for entry in entries:
        if entry.name not in _POINTERS or not entry.is_file(follow_symlinks=False):
            continue
        try:
            with Path(entry.path).open("rb") as file:
                text = file.read(LONGEST_POINTER).decode("utf-8", errors="replace")
        except OSError:
            continue
        match = re.fullmatch(r"\s*(?:[a-z]+[-_]?(?:[a-z]+[-_]?)?)?(\d{1,12})\s*", text)
        if match:
            return int(match.group(1))
    return None


def _is_closed(state: _Found) -> bool:
    """Whether a folder holds the file that is written last, if its siblings in kind have one."""
    for last, prefix in _WRITTEN_LAST.items():
        if not state.is_folder or not state.entry.name.startswith(prefix):
            continue
        names = {entry.name for entry in _entries(Path(state.entry.path), MOST_ENTRIES)}
        is_sharded = any(name.endswith(".distcp") for name in names)
        is_of_trainer = prefix == "checkpoint-" and "scheduler.pt" in names
        if last not in names and (is_of_trainer or (prefix == "step-" and is_sharded)):
            return False
    return True


def _cut_off(states: Sequence[_Found]) -> _Found | None:
    """The newest state file when it is much smaller than the others of its kind."""
    files = [state for state in states if not state.is_folder and state.checkpoint.step is not None]
    if len(files) < 3:
        return None
    newest = max(files, key=lambda state: state.checkpoint.step or 0)
    alike = [s for s in files if Path(s.entry.name).suffix == Path(newest.entry.name).suffix]
    try:
        sizes = {state.entry.name: state.entry.stat().st_size for state in alike}
    except OSError:
        return None
    others = [size for name, size in sizes.items() if name != newest.entry.name]
    import statistics  # loads decimals and fractions: most folders hold no checkpoint

    usual = statistics.median(others) if len(others) > 1 else 0
    return newest if sizes[newest.entry.name] < LEAST_SIZE_SHARE * usual else None


def _ordered(found: list[Checkpoint]) -> tuple[Checkpoint, ...]:
    def key(checkpoint: Checkpoint) -> tuple[bool, int, str]:
        return (checkpoint.step is None, checkpoint.step or 0, checkpoint.path)

    return tuple(sorted(found, key=key))
