"""Where a person would make the change: the line of a configuration file beside the log.

And where the paths of CI systems begin.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

# How frameworks spell the settings that fixes name.
SPELLINGS: Final = {
    "lr": ("learning_rate", "lr", "base_lr", "max_lr", "peak_lr", "lr0"),
    "warmup": ("warmup_steps", "warmup_ratio", "num_warmup_steps", "lr_warmup_iters", "warmup"),
    "clip": ("max_grad_norm", "gradient_clip_val", "gradient_clipping", "clip_grad", "grad_clip"),
    "beta2": ("adam_beta2", "beta2", "betas"),
    "eps": ("adam_epsilon", "adam_eps", "epsilon", "eps"),
    "loss_scale": ("initial_scale_power", "loss_scale", "init_scale"),
    "accumulation": ("gradient_accumulation_steps", "accumulate_grad_batches", "accumulation"),
    "bf16": ("bf16", "fp16", "precision", "mixed_precision"),
}
SUFFIXES: Final = (".yaml", ".yml", ".json", ".toml", ".cfg", ".ini")
# A configuration is written by hand; PyYAML's own limit in `ingest` is the same.
LARGEST_BYTES: Final = 200_000
# A repository's configs lie at most so far above the folder a run writes to.
MOST_FOLDERS: Final = 4
MOST_FILES: Final = 30


# Where GitHub Actions, GitLab CI and Jenkins have checked the repository out.
WORKSPACES: Final = ("GITHUB_WORKSPACE", "CI_PROJECT_DIR", "WORKSPACE")


@dataclass(frozen=True, slots=True)
class Place:
    """A file, as a path from the root of its repository, and a line of it, counted from 1."""

    path: Path
    line: int


def setting_line(log: str, settings: Sequence[str]) -> Place | None:
    """Return where the first of `settings` is written, in a file beside the log or above it.

    Only files inside the repository are read, and as text: nothing in them is followed.
    """
    if "://" in log:
        return None
    try:
        start = Path(log).expanduser().resolve()  # runs show the home folder as ~
        here = root_of(start)
        files = list(_files(start, here))
    except (OSError, RuntimeError, ValueError):  # a path that is none, a folder that is gone
        return None
    for setting in settings:
        for file in files:
            line = _line(file, SPELLINGS.get(setting, ()))
            if line is not None:
                return Place(file.relative_to(here), line)
    return None


def root_of(file: Path) -> Path:
    """Return the folder that CI systems give the paths of a resolved `file` from.

    It is the checkout that the CI system names, else the repository we are in, else that of the
    file, else the folder we are in, whether it holds the file or not.
    """
    here = Path.cwd()
    named = (os.environ.get(name, "") for name in WORKSPACES)
    checkouts = [Path(name).resolve() for name in named if name]
    repositories = [_repository(here), _repository(file.parent)]
    known = [folder for folder in (*checkouts, *repositories) if folder is not None]
    return next((folder for folder in known if file.is_relative_to(folder)), here)


def _repository(folder: Path) -> Path | None:
    return next((one for one in (folder, *folder.parents) if (one / ".git").exists()), None)


def _files(log: Path, here: Path) -> Iterator[Path]:
    folders = [folder for folder in (log, *log.parents) if folder.is_relative_to(here)]
    for folder in folders[: MOST_FOLDERS + 1]:
        if folder.is_dir():
            inside = sorted(file for file in folder.iterdir() if file.suffix.lower() in SUFFIXES)
            kept = (f for f in inside[:MOST_FILES] if f.resolve() != log and _is_config(f, here))
            yield from kept


def _is_config(file: Path, here: Path) -> bool:
    is_here = file.resolve().is_relative_to(here)
    return is_here and file.is_file() and file.stat().st_size <= LARGEST_BYTES


def _line(file: Path, names: Sequence[str]) -> int | None:
    try:
        lines = file.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return None
    for name in names:
        key = re.compile(rf"""\s*(?:-\s+)?["']?{re.escape(name)}["']?\s*[:=]""", re.IGNORECASE)
        found = next((number for number, text in enumerate(lines, 1) if key.match(text)), None)
        if found is not None:
            return found
    return None
