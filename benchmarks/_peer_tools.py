"""The other tools: how each is installed, run on one table, and what its output says.

Each has a virtual environment of its own and runs with its defaults: its command line where that
gives the findings in a form for programs, else the function that its documentation names.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import threading
import venv
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

# Each takes some seconds for a run on an idle machine; what takes this long hangs.
SECONDS_ALLOWED: Final = 300.0
ADAPTERS: Final = Path(__file__).with_name("_peer_adapters.py")


@dataclass(frozen=True, slots=True)
class Remark:
    """One thing that a tool says of a run: its name for it, and the first cause it gives."""

    name: str
    is_alarm: bool  # "warning" or worse by the tool's own word
    cause: str = ""


@dataclass(frozen=True, slots=True)
class Answer:
    """What a tool says of one run, in its order, or why it says nothing."""

    remarks: tuple[Remark, ...] = ()
    seconds: float = 0.0  # CPU time, start-up and imports included
    error: str = ""


@dataclass(frozen=True, slots=True)
class Tool:
    """How to run a tool: `command` has {bin} for its environment and {log} for the table."""

    name: str
    command: tuple[str, ...]
    read: Callable[[Any], Iterator[Remark]]
    how: str  # how it is run, for the page


def _trainspotter(report: Mapping[str, Any]) -> Iterator[Remark]:
    for one in report["findings"]:
        yield Remark(one["title"], one["severity"] != "info", (one["fixes"] or [""])[0])


def _runmedic(report: Sequence[Mapping[str, Any]]) -> Iterator[Remark]:
    for run in report:
        for one in run["findings"]:
            cause = (one["likely_causes"] or [""])[0]
            yield Remark(one["check"], one["severity"] != "info", cause)


def _trainproof(report: Mapping[str, Any]) -> Iterator[Remark]:
    for run in report["reports"]:
        for one in run["findings"]:
            if one["level"] in ("FAIL", "WARN"):
                yield Remark(one["id"], True)


def _losslint(report: Mapping[str, Any]) -> Iterator[Remark]:
    for one in report["findings"]:
        yield Remark(one["check"], one["severity"] != "info")


def _listed(report: Sequence[Mapping[str, Any]]) -> Iterator[Remark]:
    for one in report:
        yield Remark(one["name"], one["is_alarm"])


TOOLS: Final = (
    Tool(
        "trainspotter",
        ("{bin}/trainspotter", "analyze", "{log}", "--output", "json"),
        _trainspotter,
        "`trainspotter analyze --output json`; it gives fixes instead of causes, and the first fix "
        "is read as its first cause",
    ),
    Tool(
        "runmedic",
        ("{bin}/runmedic", "diagnose", "{log}", "--json"),
        _runmedic,
        "`runmedic diagnose --json`; its first likely cause is its first cause",
    ),
    Tool(
        "trainproof",
        ("{bin}/trainproof", "doctor", "{log}", "--json"),
        _trainproof,
        "`trainproof doctor --json`; it is made for the first epoch of a run",
    ),
    Tool(
        "gradsnitch",
        ("{bin}/python", str(ADAPTERS), "gradsnitch", "{log}"),
        _listed,
        "its function `lint_csv`; made for live use, where it also sees the size of the updates",
    ),
    Tool(
        "losslint",
        ("{bin}/losslint", "check", "{log}", "--format", "json"),
        _losslint,
        "`losslint check --format json`",
    ),
    Tool(
        "runwise",
        ("{bin}/python", str(ADAPTERS), "runwise", "{log}"),
        _listed,
        "its function `detect_anomalies`, which its summaries of tracked runs call, given the rows "
        "in order; its command line has no such check for a file",
    ),
)


def install(tool: Tool, folder: Path) -> str:
    """Put the newest version into an environment of its own and return which; "" if it failed."""
    home = folder / tool.name
    if not (home / "bin").exists():
        venv.create(home, with_pip=True)
        done = _pip(home, "install", "--quiet", tool.name)
        if done.returncode != 0:
            print(f"{tool.name}: {done.stderr.strip()[-300:]}", file=sys.stderr)
            return ""
    listed = json.loads(_pip(home, "list", "--format", "json").stdout)
    return next((one["version"] for one in listed if one["name"].lower() == tool.name), "")


def _pip(home: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [str(home / "bin" / "python"), "-m", "pip", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def ask(tool: Tool, log: Path, home: Path) -> Answer:
    """Return what `tool`, installed in `home`, says of the table at `log`."""
    places = {"{bin}": str(home / "bin"), "{log}": str(log)}
    command = list(tool.command)
    for mark, place in places.items():
        command = [part.replace(mark, place) for part in command]
    output, errors, seconds = _ran(command, log.parent)
    try:
        # Its exit code says whether it found something; only output that is no report is an error.
        return Answer(tuple(tool.read(json.loads(output))), seconds)
    except (ValueError, KeyError, TypeError) as error:
        said = errors.strip().splitlines()
        return Answer(error=said[-1][:200] if said else f"{type(error).__name__}: {error}")


def _ran(command: Sequence[str], where: Path) -> tuple[str, str, float]:
    """Return output, errors and CPU seconds of a command; killed when it takes too long."""
    with tempfile.TemporaryFile() as errors:
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=errors, cwd=where)
        assert process.stdout is not None
        alarm = threading.Timer(SECONDS_ALLOWED, process.kill)
        alarm.start()
        output = process.stdout.read()
        _, status, used = os.wait4(process.pid, 0)
        alarm.cancel()
        process.returncode = os.waitstatus_to_exitcode(status)
        process.stdout.close()
        errors.seek(0)
        said = errors.read().decode(errors="replace")
    if process.returncode < 0:
        said += f"\nended by signal {-process.returncode}"
    return output.decode(errors="replace"), said, used.ru_utime + used.ru_stime
