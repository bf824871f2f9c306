"""What a line profile is, and the record it makes of a line."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Final, Protocol, runtime_checkable

from spikedoc.model.run import ConfigValue
from spikedoc.text import Text


@dataclass(frozen=True, slots=True)
class Record:
    """What one line says; a record without values only belongs to its profile (a header, say).

    `step` counts through the whole run. `batch` is a counter that starts again in each epoch, or
    may do so: whether it does is decided when the whole file has been read.
    """

    values: Mapping[str, float] = field(default_factory=dict)
    step: int | None = None
    epoch: str = ""  # as printed: its decimals tell how exact it is
    batch: int | None = None
    batches: int | None = None  # in one epoch, where the line says so
    advances: bool = False  # one more step has passed, though no number is printed
    is_loose: bool = False  # names neither step nor epoch: belongs to what was printed before
    is_bare: bool = False  # the place is a number that opens the line, without a word for it
    is_of_checkpoint: bool = False  # of a checkpoint of that step, whatever was printed before
    section: str = ""  # of held-out data, by its heading, if a record of training came before
    is_summary: bool = False  # a mean over the whole run
    is_event: bool = False  # the line itself is worth keeping
    opens: bool = False  # the settings that a training prints when it starts
    notes: tuple[Text, ...] = ()
    config: Mapping[str, ConfigValue] = field(default_factory=dict)


def is_plain(record: Record) -> bool:
    """Return whether a record is of values and settings alone."""
    says_more = record.is_event or record.is_summary or record.section
    return not (says_more or record.advances or record.opens)


@runtime_checkable
class Settling(Protocol):
    """A parser that keeps a record open, and can tell that it is complete before the next one."""

    def settled(self) -> Record | None:
        """Return the open record if nothing can be added to it any more; it is given once."""


# For a line that is the profile's own but holds no values.
NOTHING: Final = Record()


class LineParser(Protocol):
    """Reads the lines of one file, one writer; may remember what came before."""

    def take(self, line: str) -> Record | None:
        """Return the record in the line; None when the line is not of this profile."""

    def end(self) -> Record | None:
        """Return what was still open at the end of the file."""


@dataclass(frozen=True, slots=True)
class LineProfile:
    """One layout of record lines; profiles are asked by rising `order`, specific ones first."""

    name: str
    order: int
    claims: Callable[[str], bool]  # cheap: whether `take` is worth a try
    start: Callable[[], LineParser]  # a fresh parser for a file
    framework: str = ""  # name profile for the aliases
    last_frame_only: bool = False  # bars that are drawn over hold running means of no use


class _Stateless:
    """A parser that remembers nothing."""

    def __init__(self, take: Callable[[str], Record | None]) -> None:
        self.take = take

    def end(self) -> Record | None:
        return None


def stateless(take: Callable[[str], Record | None]) -> Callable[[], LineParser]:
    """Return a `start` for profiles whose lines stand alone."""
    return lambda: _Stateless(take)


class Remembering:
    """Base of parsers that keep something from line to line but leave nothing open."""

    def end(self) -> Record | None:
        """Return nothing: no record is open at the end."""
        return None
