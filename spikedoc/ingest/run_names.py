"""What a run is called: by its folder, and by the folders above where that says nothing."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from spikedoc.ingest.read_file import ReadFile

# Folders called by their purpose, the same in every project.
_GENERIC: Final = re.compile(
    r"runs?|logs?|log_?dir|tb(?:_?logs?)?|tensorboard(?:_?logs?)?|tf_?logs?|csv(?:_?logs?)?"
    r"|lightning_logs|outputs?|out|results?|events?|metrics|train(?:ing)?|version_\d+",
    re.IGNORECASE,
)
# The most generic of them all: the folder above says everything.
_RUN: Final = "run"
MOST_FOLDERS_ABOVE: Final = 3


def is_generic(name: str) -> bool:
    """Return whether many folders are called so, in any project."""
    return _GENERIC.fullmatch(name) is not None


def folder_name(folder: Path, root: Path, *, above: bool = True) -> str:
    """Return the name of the run in `folder`: its path below `root`, or the name of `root` itself.

    Where this is generic throughout, such as `run` or `lightning_logs/version_0`, folders above
    `root` go before it up to the first that says something, unless `above` is False.
    """
    place = root.resolve()
    below = [] if folder == root else list(folder.relative_to(root).parts)
    before = [] if below else [place.name]
    left = MOST_FOLDERS_ABOVE if above else 0
    while left and all(map(is_generic, [*before, *below])):
        place, left = (place.parent if before else place), left - 1
        if not place.name:
            break
        before.insert(0, place.name)
    telling = [name for name in before if name.lower() != _RUN]
    return "/".join([*telling, *below] or before)


def run_name(
    folder: Path, root: Path, cluster: Sequence[ReadFile], *, alone: bool, is_copy: bool
) -> str:
    """Return the name of the run in `cluster`; `alone` when the folder holds no other."""
    if root.is_file():
        return f"{root.name}/{folder.name}" if folder.is_relative_to(root) else root.name
    name = folder_name(folder, root, above=not is_copy)
    name = name if alone else f"{name}/{cluster[-1].file.path.name}"
    given = next((one.table.name for one in cluster if one.table.name), "")
    return name if given in ("", *folder.parts) or not alone else f"{name} ({given})"


def shown_path(folder: Path, root: Path, file: Path) -> str:
    """Return the path of a run: what was given, the folder, or the file that holds several."""
    if folder == root or root.is_file():
        return str(root)
    return str(file if folder.is_relative_to(file) else folder)
