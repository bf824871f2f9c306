"""Saved states found in a run folder, by name alone: weight files are never opened."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Final

from spikedoc.model.run import Checkpoint

DEEPEST_FOLDER: Final = 4
MOST_ENTRIES: Final = 5_000
# Names with these words are unfinished, or hold a state already destroyed.
_UNFINISHED: Final = re.compile(
    r"tmp|incomplete|unfinished|partial|=nan|bad-model|corrupt", re.IGNORECASE
)
# Folders that are a checkpoint; the first group is the step.
_FOLDERS: Final = (
    re.compile(r"checkpoint[-_](\d+)"),
    re.compile(r"global_step[-_]?(\d+)"),
    re.compile(r"step[-_=]?(\d+)(?:-unsharded)?"),
    re.compile(r"iter[-_](\d+)"),
    re.compile(r".*[-_]?step=(\d+).*\.ckpt"),
    re.compile(r".*step[-_=](\d+)(?:[-_].*)?\.(?:ckpt|pth?|zarr)"),
)
_FILES: Final = (
    *_FOLDERS[4:],
    re.compile(r"checkpoint[-_](\d+)\.(?:pt|pth|ckpt|bin)"),
    re.compile(r"checkpoint_\d+_(\d+)\.pt"),
    re.compile(r"ep\d+-ba(\d+)(?:-rank\d+)?\.pt"),
    re.compile(r"(?:model|iter|ckpt)[-_](\d+)\.(?:pt|pth|ckpt)"),
    re.compile(r"rl_model_(\d+)_steps\.zip"),
    re.compile(r"(?:ckpt|checkpoint|model|step)[-_]?0*(\d+)\.(?:pt|pth|ckpt|safetensors|keras|h5)"),
)
# States whose names hold no step.
_WITHOUT_STEP: Final = re.compile(
    r"(?:last|best|latest|ckpt|checkpoint|model_final|model_best|checkpoint_(?:last|best|latest|final))"
    r"(?:-v\d+)?\.(?:pt|pth|ckpt|pth\.tar|keras)|(?:.*[-_])?epoch[-_=]?\d+.*\.(?:pt|pth|ckpt|keras)"
)


def find_checkpoints(folder: Path, shown_from: Path | None = None) -> tuple[Checkpoint, ...]:
    """Return the saved states under `folder`, those with a step first and ascending.

    Paths are relative to `shown_from` (default: `folder`) where they lie below it.
    """
    base = shown_from or folder
    found: list[Checkpoint] = []
    pending, count = [(folder, 0)], 0
    while pending:
        place, depth = pending.pop()
        try:
            entries = sorted(os.scandir(place), key=lambda entry: entry.name)
        except OSError:
            continue
        for entry in entries:
            count += 1
            if count > MOST_ENTRIES:
                return _ordered(found)
            is_folder = entry.is_dir(follow_symlinks=False)
            checkpoint = _checkpoint(entry, is_folder, base)
            if checkpoint is not None:
                found.append(checkpoint)
            elif is_folder and depth < DEEPEST_FOLDER and not entry.name.startswith("."):
                pending.append((Path(entry.path), depth + 1))
    return _ordered(found)


def _checkpoint(entry: os.DirEntry[str], is_folder: bool, root: Path) -> Checkpoint | None:
    if _UNFINISHED.search(entry.name):
        return None
    full = Path(entry.path)
    path = (full.relative_to(root) if full.is_relative_to(root) else full).as_posix()
    for pattern in _FOLDERS if is_folder else _FILES:
        match = pattern.fullmatch(entry.name)
        if match:
            return Checkpoint(int(match.group(1)), path)
    if not is_folder and _WITHOUT_STEP.fullmatch(entry.name):
        return Checkpoint(None, path)
    return None


def _ordered(found: list[Checkpoint]) -> tuple[Checkpoint, ...]:
    def key(checkpoint: Checkpoint) -> tuple[bool, int, str]:
        return (checkpoint.step is None, checkpoint.step or 0, checkpoint.path)

    return tuple(sorted(found, key=key))
