"""Two logs pasted into one file, one below the other, with a line of dashes between them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from spikedoc.cleaning import name
from spikedoc.errors import InputError
from spikedoc.ingest import load_runs
from spikedoc.model.run import Run

# What people paste is short; a longer file is a log.
LARGEST_BYTES: Final = 4 * 1024 * 1024
# `--- run B`, `=== baseline ===`, `-----`: dashes first, then perhaps a name.
SEPARATOR: Final = re.compile(rb"^(?:-{3,}|={3,})[ \t]*([^\r\n]{0,80}?)[ \t]*[-=]*[ \t]*\r?$", re.M)
NAMES: Final = ("A", "B")


def two_runs(path: str, mapping: Mapping[str, str] | None) -> list[Run]:
    """Return the runs above and below the only separator in the text file `path`, else nothing."""
    file = Path(path)
    try:
        if not file.is_file() or file.stat().st_size > LARGEST_BYTES:
            return []
        content = file.read_bytes()
    except OSError:
        return []
    found = list(SEPARATOR.finditer(content))
    if len(found) != 1:
        return []
    label = name(found[0][1].decode("utf-8", "replace")) if found[0][1] else NAMES[1]
    halves = content[: found[0].start()], content[found[0].end() :]
    return _read(file, halves, (NAMES[0], label), mapping)


def _read(
    file: Path,
    halves: tuple[bytes, bytes],
    labels: tuple[str, str],
    mapping: Mapping[str, str] | None,
) -> list[Run]:
    runs: list[Run] = []
    with TemporaryDirectory(prefix="spikedoc-") as folder:
        for part, label in zip(halves, labels, strict=True):
            copy = Path(folder, f"{len(runs)}{file.suffix or '.log'}")
            copy.write_bytes(part.strip(b"\r\n") + b"\n")
            try:
                read = load_runs(copy, mapping=mapping)
            except InputError:
                return []
            if len(read) != 1:
                return []
            runs.append(replace(read[0], name=label, path=str(file)))
    return runs
