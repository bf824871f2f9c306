"""Damaged and malicious logs end in a result or in a refusal, soon and in bounded memory.

A few hundred inputs by default. A campaign has more, and more seeds:

    SPIKEDOC_FUZZ=100000 SPIKEDOC_FUZZ_SEEDS=folder:folder python -m pytest -s tests/fuzz
"""

from __future__ import annotations

import os
import resource
import shutil
import signal
import sys
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random
from types import FrameType
from typing import Final

import pytest
from mutations import mutant

from spikedoc.errors import InputError
from spikedoc.ingest.load import load_runs
from spikedoc.ingest.packing import unpacked
from spikedoc.ingest.recognition import readers, recognise

ROOT: Final = Path(__file__).parents[2]
INPUTS: Final = int(os.environ.get("SPIKEDOC_FUZZ", "250"))
START: Final = int(os.environ.get("SPIKEDOC_FUZZ_START", "0"))
FOLDERS: Final = [
    ROOT / "sample_logs",
    ROOT / "tests" / "data",
    *map(Path, filter(None, os.environ.get("SPIKEDOC_FUZZ_SEEDS", "").split(":"))),
]
# A longer seed is cut: what its end would show, its beginning shows in less time.
LONGEST_SEED: Final = int(os.environ.get("SPIKEDOC_FUZZ_LONGEST", "20000"))
MOST_SECONDS: Final = 10.0
# What reading a log of some kilobytes may add to the peak of memory.
MOST_MEGABYTES: Final = 400
# A limit on addresses, of which libraries reserve more than they use, stops what goes beyond.
MOST_ADDRESSES: Final = 6_000_000_000
# Some formats are known by the folders they lie in.
FOLDERS_ABOVE: Final = 5
# Of ten inputs one goes all the way to runs.
WHOLE: Final = 10


class TooMuch(BaseException):
    """A log of some kilobytes kept the program busy for seconds, or took much memory."""


@contextmanager
def bounded() -> Iterator[None]:
    """Raise TooMuch after seconds of CPU or beyond the megabytes, MemoryError far beyond."""

    def stop(_signal: int, _frame: FrameType | None) -> None:
        raise TooMuch("time")

    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    used = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
    limits = resource.getrlimit(resource.RLIMIT_AS)
    before = signal.signal(signal.SIGVTALRM, stop)
    resource.setrlimit(
        resource.RLIMIT_AS, (used * resource.getpagesize() + MOST_ADDRESSES, limits[1])
    )
    signal.setitimer(signal.ITIMER_VIRTUAL, MOST_SECONDS)
    try:
        yield
        if resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - peak > 1024 * MOST_MEGABYTES:
            raise TooMuch("memory")
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)
        resource.setrlimit(resource.RLIMIT_AS, limits)


def seeds() -> list[Path]:
    found = [path for folder in FOLDERS for path in sorted(folder.rglob("*"))]
    names = {".py", ".toml", ".md"}
    return [p for p in found if p.is_file() and p.suffix not in names and p.stat().st_size]


def read(path: Path, own: str) -> None:
    """Read as a user would, and by the reader of the seed whatever the damage."""
    try:
        reader, _, packing = recognise(path)
        if packing:
            with unpacked(path, packing, []) as plain:
                (reader or readers()[own]).read(plain)
        elif reader is not None:
            reader.read(path)
        if own and not packing and (reader is None or reader.name != own):
            readers()[own].read(path)
    except InputError:
        pass


def reader_of(path: Path) -> str:
    try:
        reader, _, packing = recognise(path)
    except InputError:
        return ""
    return (
        ""
        if reader is None or packing
        else next(name for name, one in readers().items() if one is reader)
    )


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="limits as Linux has them")
def test_no_input_brings_it_down(tmp_path: Path) -> None:
    files = seeds()
    contents = {path: path.read_bytes()[:LONGEST_SEED] for path in files}
    own = {path: reader_of(path) for path in files}
    failures: list[str] = []
    for number in range(START, START + INPUTS):
        random = Random(number)
        seed, other = random.choice(files), random.choice(files)
        folder = tmp_path / "run"
        path = folder.joinpath(*seed.parts[-FOLDERS_ABOVE:])
        path.parent.mkdir(parents=True)
        path.write_bytes(mutant(contents[seed], contents[other], random))
        try:
            with bounded():
                read(path, own[seed])
                if number % WHOLE == 0:
                    load_runs(folder)
        except InputError:
            pass
        except (Exception, TooMuch) as error:
            failures.append(f"{number} {seed}: {error!r}")
            if INPUTS > 1_000:
                told = "".join(traceback.format_exception(error, limit=-3))
                sys.stderr.write(f"{failures[-1]}\n{told}\n")
                shutil.copy(path, tmp_path.parent / f"{number}-{seed.name}")
        shutil.rmtree(folder)
    assert not failures, failures[:20]
