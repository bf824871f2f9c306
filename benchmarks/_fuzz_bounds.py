"""What one input may take and touch: seconds per byte, memory, and no file but the ones given."""

from __future__ import annotations

import os
import resource
import signal
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType
from typing import Any, Final

# CPU seconds that an input may take: for what does not depend on its length, and for each byte. A
# log of a gigabyte would be read within an hour at the bound; inputs here take a hundredth of it.
MOST_SECONDS: Final = 2.0
MOST_SECONDS_PER_BYTE: Final = 50e-6
# Seconds after which it is stopped.
PATIENCE: Final = 10.0
# What some inputs of some kilobytes may add to the peak of memory. It is looked at now and then,
# since asking may take as long as reading a short log.
MOST_MEGABYTES: Final = 300
_INPUTS_PER_LOOK: Final = 50
# Addresses that one input may ask for at once; libraries reserve more than they use.
MOST_ADDRESSES: Final = 2_000_000_000
# Shorter inputs count as this long: what a call takes whatever it reads is not per byte.
LEAST_BYTES: Final = 1_000
_KIBIBYTES_PER_MEGABYTE: Final = 1024
_WRITING: Final = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
# What a log must never set off; `open` is looked at by its path.
_FORBIDDEN: Final = frozenset(
    {
        *("subprocess.Popen", "os.system", "os.exec", "os.posix_spawn", "os.fork", "os.forkpty"),
        *(
            "socket.connect",
            "socket.getaddrinfo",
            "socket.bind",
            "urllib.Request",
            "ftplib.connect",
        ),
        *(
            "pickle.find_class",
            "os.chmod",
            "os.chown",
            "os.link",
            "os.symlink",
            "os.truncate",
            "os.putenv",
            "os.kill",
        ),
    }
)
_MOVING: Final = frozenset({"os.remove", "os.rename", "os.mkdir", "os.rmdir", "shutil.rmtree"})
# What unpacking leaves while it reads; see `spikedoc.ingest.packing`.
_OWN_PREFIX: Final = "spikedoc-"


class BrokenBoundError(BaseException):
    """An input took more, or touched more, than one may; no handler of errors stops it."""


@dataclass(slots=True)
class Usage:
    """The most that any input took."""

    seconds_per_byte: float = 0.0
    seconds: float = 0.0  # of that input
    size: int = 0  # of that input, in bytes
    peak_megabytes: float = 0.0

    def add(self, seconds: float, size: int) -> None:
        """Take an input of `size` bytes into account."""
        rate = seconds / max(size, LEAST_BYTES)
        if rate > self.seconds_per_byte:
            self.seconds_per_byte, self.seconds, self.size = rate, seconds, size


@dataclass(slots=True)
class Guard:
    """Watches the inputs that a target is given below `place`."""

    place: Path
    usage: Usage = field(default_factory=Usage)
    _inputs: int = 0
    _is_on: bool = False
    _broken: str = ""

    def limit_addresses(self) -> None:
        """Let nothing in this process ask for gigabytes."""
        used = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
        most = used * resource.getpagesize() + MOST_ADDRESSES
        resource.setrlimit(resource.RLIMIT_AS, (most, resource.getrlimit(resource.RLIMIT_AS)[1]))

    def look_at_files(self) -> None:
        """Look, while watching, at every file that this process opens from now on."""
        allowed = _readable(self.place)
        written = (f"{self.place}{os.sep}", f"{tempfile.gettempdir()}{os.sep}{_OWN_PREFIX}")

        def look(event: str, arguments: tuple[Any, ...]) -> None:
            if not self._is_on:
                return
            if event == "open":
                path, _, flags = arguments
                self._broken = self._broken or _told(path, flags or 0, allowed, written)
            elif event in _FORBIDDEN:
                self._broken = self._broken or f"{event} {arguments[:1]}"
            elif event in _MOVING and not _is_relative(arguments):
                is_own = _is_below(arguments[0], written)
                self._broken = self._broken or ("" if is_own else f"{event} {arguments[0]}")

        sys.addaudithook(look)
        signal.signal(signal.SIGVTALRM, _stop)
        self.usage.peak_megabytes = peak_megabytes()

    @contextmanager
    def watching(self, size: int) -> Iterator[None]:
        """Raise BrokenBoundError when the input of `size` bytes takes or touches too much."""
        self._broken, self._is_on = "", True
        signal.setitimer(signal.ITIMER_VIRTUAL, PATIENCE + size * MOST_SECONDS_PER_BYTE)
        begun = time.process_time()
        try:
            yield
        finally:
            took = time.process_time() - begun
            signal.setitimer(signal.ITIMER_VIRTUAL, 0)
            self._is_on = False
        self.usage.add(took, size)
        if self._broken:
            raise BrokenBoundError(self._broken)
        if took > MOST_SECONDS + size * MOST_SECONDS_PER_BYTE:
            raise BrokenBoundError(f"time: {took:.1f} s for {size} bytes")
        self._inputs += 1
        if self._inputs % _INPUTS_PER_LOOK == 0:
            self._look_at_memory()

    def _look_at_memory(self) -> None:
        before = self.usage.peak_megabytes
        self.usage.peak_megabytes = peak_megabytes()
        grown = self.usage.peak_megabytes - before
        if before and grown > MOST_MEGABYTES:
            raise BrokenBoundError(f"memory: {grown:.0f} MB in the last {_INPUTS_PER_LOOK} inputs")


def peak_megabytes() -> float:
    """Return the most memory that this process has held."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / _KIBIBYTES_PER_MEGABYTE


def _stop(_signal: int, _frame: FrameType | None) -> None:
    raise BrokenBoundError("time: stopped")


def _readable(place: Path) -> tuple[str, ...]:
    """Beginnings of paths that may be read: the input, programs, what the system tells."""
    import spikedoc

    package = Path(spikedoc.__file__).parent
    homes = {sys.prefix, sys.base_prefix, *filter(None, sys.path)}
    return (str(place), str(package), "/proc/", "/sys/", "/usr/", "/etc/", "/dev/", *sorted(homes))


def _told(path: object, flags: int, allowed: tuple[str, ...], written: tuple[str, ...]) -> str:
    """What is wrong with opening `path`; empty when nothing is."""
    if isinstance(path, int):
        return ""
    if flags & _WRITING and not (_is_below(path, written) or str(path) == os.devnull):
        return f"opened for writing: {path!r}"
    return "" if _is_below(path, (*allowed, *written)) else f"opened: {path!r}"


def _is_relative(arguments: tuple[Any, ...]) -> bool:
    """Whether a path is told from an open folder, which was looked at when it was opened."""
    return len(arguments) > 1 and isinstance(arguments[-1], int) and arguments[-1] >= 0


def _is_below(path: object, places: tuple[str, ...]) -> bool:
    if isinstance(path, int):
        return True
    text = os.fsdecode(path) if isinstance(path, bytes) else str(path)
    return os.path.abspath(text).startswith(places)  # noqa: PTH100  without asking the disk
