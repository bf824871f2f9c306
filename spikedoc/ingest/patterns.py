"""Patterns such as `runs/*/metrics.csv`, expanded here because not every shell does."""

from __future__ import annotations

import glob
from itertools import islice
from pathlib import Path

from spikedoc.errors import InputError
from spikedoc.ingest.discovery import MOST_FILES
from spikedoc.text import Text


def matched(path: Path) -> list[Path] | None:
    """Return what the pattern matches, sorted; None when `path` is no pattern.

    A path that exists is meant as it is, whatever characters its name has. Raises InputError when
    nothing matches.
    """
    if not glob.has_magic(str(path)):
        return None
    try:
        if path.exists():
            return None
    except OSError:
        return None
    root = fixed_part(path)
    pattern = str(path.relative_to(root))
    try:
        found = sorted(islice(root.glob(pattern), MOST_FILES))
    except (OSError, ValueError, NotImplementedError) as error:
        told = Text(f"not a pattern that can be followed: {error}", f"不是可用的模式：{error}")
        raise InputError(path, told) from None
    if not found:
        raise InputError(path, Text("nothing matches this pattern", "没有文件与此模式匹配"))
    return found


def fixed_part(path: Path) -> Path:
    """Return the folder above the first part of `path` that is a pattern."""
    fixed: list[str] = []
    for part in path.parts:
        if glob.has_magic(part):
            break
        fixed.append(part)
    return Path(*fixed)
