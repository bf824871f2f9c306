"""What is counted of a tool's answers, and the row of the table that shows it."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final

from _labelled import Labelled, Names
from _peer_tools import Answer, Remark

HEAD: Final = (
    "Data",
    "Tool",
    "Faults flagged",
    "Right kind named",
    "First cause fits",
    "False alarms on healthy runs",
    "… of them with a loss scale at work",
    "CPU seconds per run",
    "No answer",
)
NOTHING: Final = "–"

Words = Mapping[str, Names]


@dataclass(slots=True)
class Share:
    """How many of how many."""

    hits: int = 0
    of: int = 0

    def add(self, is_hit: bool) -> None:
        """Count one more."""
        self.hits += is_hit
        self.of += 1

    def __str__(self) -> str:
        """Return it as a cell."""
        if not self.of:
            return NOTHING
        return f"{100 * self.hits / self.of:.0f} % ({self.hits} of {self.of})"


@dataclass(slots=True)
class Tally:
    """Everything counted of one tool on one set of data."""

    flagged: Share = field(default_factory=Share)
    named: Share = field(default_factory=Share)
    fits: Share = field(default_factory=Share)
    false_alarms: Share = field(default_factory=Share)
    scaled: Share = field(default_factory=Share)
    seconds: list[float] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)

    def cells(self) -> list[str]:
        """Return the cells of the row behind data and tool."""
        used = f"{sum(self.seconds) / len(self.seconds):.2f}" if self.seconds else NOTHING
        shares = (self.flagged, self.named, self.fits, self.false_alarms, self.scaled)
        return [*map(str, shares), used, str(len(self.errors))]


def count(
    tally: Tally, run: Labelled, answer: Answer, words: Words | None, *, scaled: bool
) -> None:
    """Add one run; without `words` the answer is in spikedoc's own.

    `scaled` says that the run keeps a dynamic loss scale, whose back-offs are normal.
    """
    if answer.error:
        tally.errors.append(f"{run.name}: {answer.error}")
    elif answer.seconds:
        tally.seconds.append(answer.seconds)
    alarms = any(remark.is_alarm for remark in answer.remarks)
    if run.is_healthy:
        tally.false_alarms.add(alarms)
        if scaled:
            tally.scaled.add(alarms)
        return
    if run.must_alarm:
        tally.flagged.add(alarms)
    if run.kinds:
        tally.named.add(bool(kinds_of(answer.remarks, words) & run.kinds))
        if run.causes:
            tally.fits.add(bool(first_causes(answer.remarks, words) & run.causes))


def kinds_of(remarks: Iterable[Remark], words: Words | None) -> frozenset[str]:
    """Return the kinds that the remarks name, whatever their severity."""
    if words is None:
        return frozenset(remark.name for remark in remarks)
    found: frozenset[str] = frozenset()
    for remark in remarks:
        if remark.name not in words["kinds"]:
            print(f"not in vocabularies.toml: {remark.name!r}", file=sys.stderr)
        found |= words["kinds"].get(remark.name, frozenset())
    return found


def first_causes(remarks: Iterable[Remark], words: Words | None) -> frozenset[str]:
    """Return what the first remark gives as its cause; empty when it gives none."""
    first = next(iter(remarks), None)
    if first is None:
        return frozenset()
    if words is None:
        return frozenset({first.cause})
    said = [causes for key, causes in words["causes"].items() if key in (first.name, first.cause)]
    said += [causes for key, causes in words["causes"].items() if key in first.cause]
    return frozenset().union(*said)
