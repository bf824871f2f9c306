"""CPU seconds and peak memory of another process, and the page that keeps the results."""

from __future__ import annotations

import compileall
import importlib.util
import os
import platform
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

PAGE: Final = Path(__file__).resolve().parent.parent / "docs" / "explanation" / "performance.md"
KIBIBYTES_PER_MEGABYTE: Final = 1024
_DRAINED_AT_ONCE: Final = 1 << 20


@dataclass(frozen=True, slots=True)
class Usage:
    """What a process used."""

    cpu_seconds: float
    peak_megabytes: float
    output: str


def run(arguments: Sequence[str], program: str = sys.executable) -> Usage:
    """Return what `program` (Python, unless another is named) used, start-up included.

    Raises RuntimeError when it fails.
    """
    process = subprocess.Popen([program, *arguments], stdout=subprocess.PIPE, env=_as_installed())
    assert process.stdout is not None
    with process.stdout:
        output = process.stdout.read()
    return _ended(process, arguments, output)


def drain(arguments: Sequence[str], program: str) -> Usage:
    """Return what `program` used while its output went through a pipe to nowhere."""
    process = subprocess.Popen([program, *arguments], stdout=subprocess.PIPE, env=_as_installed())
    assert process.stdout is not None
    with process.stdout:
        while process.stdout.read(_DRAINED_AT_ONCE):
            pass
    return _ended(process, arguments, b"")


@cache
def _as_installed() -> Mapping[str, str]:
    """Return the environment of what is measured, with spikedoc compiled as pip leaves it.

    In a checkout whose interpreter writes no bytecode every start would compile it anew.
    """
    spec = importlib.util.find_spec("spikedoc")
    for folder in (spec and spec.submodule_search_locations) or ():
        compileall.compile_dir(folder, quiet=1)
    return {name: text for name, text in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}


def _ended(process: subprocess.Popen[bytes], arguments: Sequence[str], output: bytes) -> Usage:
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        raise RuntimeError(f"{' '.join(arguments)}: exit code {process.returncode}")
    seconds = used.ru_utime + used.ru_stime
    return Usage(seconds, used.ru_maxrss / KIBIBYTES_PER_MEGABYTE, output.decode())


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a Markdown table."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(row) + " |" for row in lines)


def keep(section: str, text: str) -> None:
    """Write `text` and the machine between the marks of `section` in the page on performance."""
    machine = f"{os.cpu_count()} cores, Python {platform.python_version()}"
    fill(PAGE, section, f"{text}\n\n{machine}.")


def fill(page: Path, section: str, text: str) -> None:
    """Write `text` between the marks of `section` in `page`; raises RuntimeError without them."""
    begin, end = f"<!-- {section} -->", f"<!-- /{section} -->"
    before, _, rest = page.read_text(encoding="utf-8").partition(begin)
    _, _, after = rest.partition(end)
    if not after:
        raise RuntimeError(f"{page.name} has no section {section}")
    page.write_text(f"{before}{begin}\n{text}\n{end}{after}", encoding="utf-8")
