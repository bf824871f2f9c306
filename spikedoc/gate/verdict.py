"""What the gate says of a run: one check per label and expectation, each passed or not."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

from spikedoc.model.label import Severity, Status
from spikedoc.text import Text


class Outcome(StrEnum):
    """How a check came out."""

    PASSED = "passed"
    FAILED = "failed"
    KNOWN = "known"  # found, but in the baseline
    WARNED = "warned"  # found, below the threshold of the gate or of level "warn"


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that was looked at in one run."""

    id: str  # "nonfinite/persistent", "expect:val_loss.final"
    title: Text
    outcome: Outcome
    severity: Severity
    message: Text
    signal: str = ""
    step: int | None = None
    fingerprint: str = ""  # names the check across runs: no values, steps or paths in it
    log: str = ""  # the file that holds the point it is about; empty: that of the run
    line: int | None = None  # of that file, where one line alone can be meant
    settings: tuple[str, ...] = ()  # what the fixes of its likeliest cause would set: "lr", "clip"


@dataclass(frozen=True, slots=True)
class Verdict:
    """The gate's answer on one run."""

    run: str
    path: str  # of the first file that was read, as given
    status: Status
    headline: Text
    checks: tuple[Check, ...] = ()
    causes: tuple[str, ...] = ()  # rule codes, likeliest first
    allow_unknown: bool = False
    notes: tuple[Text, ...] = field(default_factory=tuple)
    sources: tuple[str, ...] = ()  # all files that were read

    @property
    def failures(self) -> tuple[Check, ...]:
        """The checks that turn the gate red."""
        return tuple(c for c in self.checks if c.outcome is Outcome.FAILED)

    @property
    def is_unjudged(self) -> bool:
        """Whether the run could not be judged and that is not allowed."""
        return self.status is Status.UNKNOWN and not self.allow_unknown

    @property
    def passed(self) -> bool:
        """Whether nothing stands against this run."""
        return not self.failures and not self.is_unjudged
