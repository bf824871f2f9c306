"""Console blocks of pages written by hand: the command is run, and what it prints is put in.

A block holds one command after `$ `, run by a shell in the root of the project. A comment right
above it shows only a part: `<!-- 12 lines -->`, `<!-- until 2 -->` (the line that begins so is left
out), `<!-- section What happened -->`, or `<!-- section What happened, 12 lines -->`. A section
ends before the next heading of the report.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parent.parent.parent
BLOCK: Final = re.compile(
    r"(?P<above>(?:<!-- (?:section (?P<section>[^\n,]+))?,? ?(?:(?P<count>\d+) lines)?"
    r"(?:until (?P<until>[^\n]+))? -->\n)?```console\n)"
    r"\$ (?P<command>[^\n]+)\n.*?^```$",
    re.DOTALL | re.MULTILINE,
)
LEFT_OUT: Final = "…"
# The program as it stands in this checkout, under the names a reader types.
NAMES: Final = 'spikedoc() { "$PYTHON" -m spikedoc "$@"; }; python() { "$PYTHON" "$@"; }; '
PATIENCE_SECONDS: Final = 120
# How the output begins somewhere when the program fails, which no page wants to show.
FAILURES: Final = ("Traceback", "spikedoc: internal error")


def refreshed(text: str) -> str:
    """Return a page with the output in its console blocks renewed."""
    return BLOCK.sub(_renewed, text)


def _renewed(block: re.Match[str]) -> str:
    lines = _output(block["command"])
    try:
        failure = next((line for line in lines if line.startswith(FAILURES)), None)
        if failure:
            raise LookupError(failure)
        first, stop = _part(lines, block)
    except LookupError as error:
        raise LookupError(f"`{block['command']}`: {error}") from None
    shown = [f"$ {block['command']}", *"\n".join(lines[first:stop]).rstrip().split("\n")]
    if first:
        shown.insert(1, LEFT_OUT)
    if stop < len(lines):
        shown.append(LEFT_OUT)
    return "\n".join([block["above"].rstrip("\n"), *shown, "```"])


def _part(lines: list[str], block: re.Match[str]) -> tuple[int, int]:
    """Return where the part that is shown begins and ends."""
    first, stop = 0, len(lines)
    if block["section"]:
        first, stop = _section(lines, block["section"])
    if block["until"]:
        stop = _line(lines, f"{block['until']} ")
    if block["count"]:
        stop = min(stop, first + int(block["count"]))
    return first, stop


def _section(lines: list[str], heading: str) -> tuple[int, int]:
    """Return where the lines under `heading`, itself included, begin and end."""
    first = _line(lines, heading)
    blank = [i for i in range(first + 1, len(lines) - 1) if not lines[i]]
    return first, next((i for i in blank if not lines[i + 1].startswith(" ")), len(lines))


def _line(lines: list[str], start: str) -> int:
    found = next((i for i, line in enumerate(lines) if line.strip().startswith(start)), None)
    if found is None:
        raise LookupError(f"no line of the output begins with {start!r}")
    return found


@cache
def _output(command: str) -> list[str]:
    """Return what `command` prints, both streams, in an environment that is always the same."""
    kept = {name: os.environ[name] for name in ("PATH", "HOME", "TMPDIR") if name in os.environ}
    environment = kept | {
        "PYTHON": sys.executable,
        "PYTHONPATH": str(ROOT),
        "PYTHONUTF8": "1",
        "LANG": "C.UTF-8",
        "NO_COLOR": "1",
    }
    done = subprocess.run(
        ["bash", "-c", NAMES + command],
        cwd=ROOT,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        encoding="utf-8",
        timeout=PATIENCE_SECONDS,
        check=False,
    )
    return [line.rstrip() for line in done.stdout.rstrip("\n").split("\n")]
