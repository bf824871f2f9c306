"""Damaged and malicious logs by the million: each ends in a result or in a refusal, and soon.

    python benchmarks/fuzz.py [--minutes 60] [--target NAME ...] [--seed N] [--log FILE] [--write]

Every target - each reader, what is packed, settings, saved reports, loading, the whole diagnosis -
is fed for some seconds in turn, in a process of its own, from seeds and by changes that keep the
shape of its format. Where atheris is installed (it is none of the project's dependencies), every
third turn is guided by coverage; without it all are blind, which the log says.

An input fails when it ends in anything but the documented errors, takes too long for its length or
too much memory, writes, connects, starts a program, or opens a file that is not its own. It is kept
in --keep, and what happened is printed and counted in the log, which is added to over time; --write
puts the sum into the docs.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
import traceback
import warnings
from collections import Counter
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from importlib.util import find_spec
from pathlib import Path
from random import Random
from typing import Any, Final

import _fuzz_log
from _fuzz_bounds import BrokenBoundError, Guard
from _fuzz_bytes import mutant
from _fuzz_structures import structured
from _measure import fill

GUIDED, BLIND = "guided", "blind"
# Share of the inputs that keep the shape of their format.
STRUCTURED_SHARE: Final = 0.6
# Longest input that is made of a seed.
LONGEST_INPUT: Final = 200_000
SECONDS_PER_TURN: Final = 60.0
# A process that is that much late hangs where no bound stops it. On a machine that does other work
# first, it takes minutes until the seeds were read by code that counts its branches.
PATIENCE: Final = 4.0
LONGEST_START: Final = 900.0
# Seconds by the clock after which atheris gives up: on a busy machine an input may take any time,
# and what it may take of the processor is watched anyway. Zero is no bound but one of a second.
NO_CLOCK: Final = 3600
# How often a child writes down where it is.
SECONDS_PER_NOTE: Final = 5.0
# In memory, where the system has such a place: inputs are written and read by the million.
FAST_PLACE: Final = Path("/dev/shm")
# Inputs that are kept of one kind of failure.
KEPT_OF_A_KIND: Final = 3
SECTION: Final = "fuzz"


@dataclass(slots=True)
class Turn:
    """One target for some seconds, in this process."""

    name: str
    way: str
    seed: int
    place: Path
    keep: Path
    inputs: int = 0
    read: int = 0
    failures: Counter[str] = field(default_factory=Counter)
    guard: Guard = field(init=False)
    _begun: float = field(default_factory=time.process_time)

    def __post_init__(self) -> None:
        """Lay out the seeds, and read each once: what is loaded for it is loaded then."""
        from _fuzz_targets import targets

        self.guard = Guard(self.place)
        self.target = targets(self.place, {self.name})[self.name]
        for number, seed in enumerate(self.target.seeds):
            self.target.feed(seed.content, number, Random(number))
        self.guard.look_at_files()
        if self.way == BLIND:  # what chooses the inputs of the others asks for memory as well
            self.guard.limit_addresses()

    target: Any = field(init=False)

    def feed(self, content: bytes, which: int, random: Random) -> None:
        """Try one input and count what happens."""
        self.inputs += 1
        try:
            with self.guard.watching(len(content)):
                self.read += self.target.feed(content, which, random)
        except (Exception, BrokenBoundError) as error:
            self._keep(error, content)

    def _keep(self, error: BaseException, content: bytes) -> None:
        kind = _kind(error)
        self.failures[kind] += 1
        if self.failures[kind] > KEPT_OF_A_KIND:
            return
        self.keep.mkdir(parents=True, exist_ok=True)
        name = f"{self.name}-{self.way}-{self.seed}-{self.inputs}"
        (self.keep / name).write_bytes(content)
        told = "".join(traceback.format_exception(error, limit=-6))
        (self.keep / f"{name}.txt").write_text(told, encoding="utf-8", errors="replace")
        print(f"{name}: {kind}", file=sys.stderr, flush=True)

    def entry(self) -> _fuzz_log.Entry:
        """Return what happened so far."""
        from spikedoc.version import VERSION

        usage = self.guard.usage
        return _fuzz_log.Entry(
            target=self.name,
            way=self.way,
            version=VERSION,
            date=datetime.now(UTC).date().isoformat(),
            first_seed=self.seed,
            inputs=self.inputs,
            read=self.read,
            cpu_seconds=round(time.process_time() - self._begun, 1),
            exceptions=dict(self.failures),
            seconds_per_byte=float(f"{usage.seconds_per_byte:.3g}"),
            slowest_seconds=round(usage.seconds, 3),
            slowest_bytes=usage.size,
            peak_megabytes=round(usage.peak_megabytes),
        )


def _kind(error: BaseException) -> str:
    """What happened, and the innermost place in spikedoc where it did."""
    frames = traceback.extract_tb(error.__traceback__)
    own = [frame for frame in frames if "/spikedoc/" in frame.filename] or frames
    file = own[-1].filename
    where = f"{file.partition('/spikedoc/')[2] or Path(file).name}:{own[-1].lineno}"
    told = str(error).partition("\n")[0]
    is_bound = isinstance(error, BrokenBoundError)
    return f"{told[:80] if is_bound else type(error).__name__} at {where}"


def changed(content: bytes, other: bytes, random: Random) -> bytes:
    """Return a new input made of a seed."""
    change: Callable[[bytes, bytes, Random], bytes] = (
        structured if random.random() < STRUCTURED_SHARE else mutant
    )
    return change(content, other, random)[:LONGEST_INPUT]


def blind(turn: Turn, seconds: float, note: Callable[[], None]) -> None:
    """Feed changed seeds until the time is up."""
    end, next_note, number = time.monotonic() + seconds, 0.0, turn.seed
    seeds = turn.target.seeds
    while (now := time.monotonic()) < end:
        random = Random(number)
        which = random.randrange(len(seeds))
        content = changed(seeds[which].content, random.choice(seeds).content, random)
        turn.feed(content, which, random)
        number += 1
        if now > next_note:
            note()
            next_note = now + SECONDS_PER_NOTE


def guided(turn: Turn, seconds: float, corpus: Path, note: Callable[[], None]) -> None:
    """Feed what atheris chooses; its inputs begin with the number of the seed they stand for."""
    import atheris  # type: ignore[import-not-found, import-untyped, unused-ignore]

    seeds = turn.target.seeds
    corpus.mkdir(parents=True, exist_ok=True)
    for number, seed in enumerate(seeds[:256]):
        (corpus / f"seed-{number}").write_bytes(bytes([number]) + seed.content)
    end = time.monotonic() + seconds
    next_note = 0.0

    def one(data: bytes) -> None:
        nonlocal next_note
        now = time.monotonic()
        if data:
            turn.feed(data[1:], data[0], Random(turn.inputs))
        if now > next_note or now > end:
            note()
            next_note = now + SECONDS_PER_NOTE
        if now > end:
            os._exit(0)

    def change(data: bytes, most: int, number: int) -> bytes:
        random = Random(number)
        if len(data) < 2 or random.random() < 1 - STRUCTURED_SHARE:
            return bytes(atheris.Mutate(data, most))
        other = random.choice(seeds).content
        return (data[:1] + changed(data[1:], other, random))[:most]

    options = [f"-seed={turn.seed % 2**31 + 1}", f"-max_len={LONGEST_INPUT}", "-rss_limit_mb=0"]
    turn.keep.mkdir(parents=True, exist_ok=True)
    options += [f"-artifact_prefix={turn.keep}/", f"-timeout={NO_CLOCK}", "-verbosity=0"]
    options += ["-print_final_stats=0", str(corpus)]
    atheris.Setup([sys.argv[0], *options], one, custom_mutator=change)
    atheris.Fuzz()


def child(wanted: argparse.Namespace) -> None:
    """Be the process of one turn; what happened is left in the file of notes."""
    warnings.simplefilter("error")
    warnings.simplefilter("ignore", DeprecationWarning)
    if wanted.way == GUIDED:
        import atheris

        with atheris.instrument_imports(include=["spikedoc"]):
            import spikedoc.pipeline  # noqa: F401

            turn = Turn(wanted.turn, wanted.way, wanted.seed, wanted.place, wanted.keep)
    else:
        turn = Turn(wanted.turn, wanted.way, wanted.seed, wanted.place, wanted.keep)

    def note() -> None:
        notes = wanted.place / "notes.new"
        notes.write_text(json.dumps(asdict(turn.entry())), encoding="utf-8")
        notes.replace(wanted.place / "notes")

    if wanted.way == GUIDED:
        guided(turn, wanted.seconds, wanted.corpus / wanted.turn, note)
    else:
        blind(turn, wanted.seconds, note)
    note()


def take_turn(name: str, way: str, seed: int, wanted: argparse.Namespace) -> _fuzz_log.Entry:
    """Return what a process of its own found out about one target."""
    place = Path(tempfile.mkdtemp(dir=FAST_PLACE if FAST_PLACE.is_dir() else None))
    words = [sys.executable, __file__, "--turn", name, "--way", way, "--seed", str(seed)]
    words += ["--place", str(place), "--seconds", str(wanted.seconds), "--keep", str(wanted.keep)]
    words += ["--corpus", str(wanted.corpus)]
    reason = ""
    try:
        done = subprocess.run(
            words,
            check=False,
            timeout=PATIENCE * wanted.seconds + LONGEST_START,
            stdout=subprocess.DEVNULL,
            stderr=None if way == BLIND else subprocess.DEVNULL,
        )
        reason = f"ended with code {done.returncode}" if done.returncode else ""
    except subprocess.TimeoutExpired:
        reason = "hung"
    try:
        notes = place / "notes"
        entry = _fuzz_log.Entry(**json.loads(notes.read_text(encoding="utf-8")))
    except OSError:
        entry = _fuzz_log.Entry(name, way, "", datetime.now(UTC).date().isoformat(), seed)
    finally:
        shutil.rmtree(place, ignore_errors=True)
    return entry.plus(_fuzz_log.ended(entry, reason)) if reason else entry


def campaign(wanted: argparse.Namespace) -> int:
    """Feed the targets in turn until the time is up; return how many inputs failed."""
    from _fuzz_targets import names

    # A guided input takes three times as long as a blind one.
    ways = (BLIND, GUIDED, BLIND) if find_spec("atheris") else (BLIND,)
    if len(ways) == 1:
        print("atheris is not installed: the changes are blind, not guided by coverage")
    end, failed, turn = time.monotonic() + 60 * wanted.minutes, 0, 0
    order = wanted.target or names()
    while time.monotonic() < end:
        name = order[turn % len(order)]
        way = ways[(turn // len(order) + turn) % len(ways)]
        seed = wanted.seed + turn * 10_000_000
        entry = take_turn(name, way, seed, wanted)
        _fuzz_log.add([entry], wanted.log)
        failed += sum(entry.exceptions.values())
        rate = entry.inputs / max(0.1, entry.cpu_seconds)
        print(
            f"{name:14} {way:6} {entry.inputs:>9,} inputs {rate:8.0f}/s "
            f"{1e6 * entry.seconds_per_byte:6.0f} us/byte {entry.peak_megabytes:5.0f} MB "
            f"{entry.exceptions or ''}",
            flush=True,
        )
        turn += 1
    return failed


def main() -> int:
    """Run the campaign; return 1 when an input failed."""
    keep = Path(tempfile.gettempdir()) / "spikedoc-fuzz"
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--minutes", type=float, default=60.0)
    parser.add_argument("--target", action="append", help="only this one; may be given again")
    parser.add_argument("--seed", type=int, default=time.time_ns() // 10**9 * 1000)
    parser.add_argument("--seconds", type=float, default=SECONDS_PER_TURN, help="of one turn")
    parser.add_argument("--log", type=Path, default=_fuzz_log.LOG, help="what is added to")
    parser.add_argument("--keep", type=Path, default=keep, help="where failing inputs go")
    parser.add_argument("--corpus", type=Path, default=keep / "corpus", help="of guided turns")
    parser.add_argument("--write", action="store_true", help="put the sum into the docs")
    for word in ("--turn", "--way", "--place"):  # of the process of one turn
        parser.add_argument(word, help=argparse.SUPPRESS, type=Path if word == "--place" else str)
    wanted = parser.parse_args()
    if wanted.turn:
        child(wanted)
        return 0
    failed = campaign(wanted) if wanted.minutes > 0 else 0
    entries = _fuzz_log.read(wanted.log)
    print(_fuzz_log.summary(entries))
    if wanted.write:
        fill(_fuzz_log.PAGE, SECTION, _fuzz_log.summary(entries))
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())
