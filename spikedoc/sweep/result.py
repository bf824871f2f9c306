"""What a comparison of several runs comes to: how each ended, the window, what may be proposed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from spikedoc.coincidence.result import Coincidence
from spikedoc.model.label import Status
from spikedoc.model.run import ConfigValue
from spikedoc.text import Text

SCHEMA = "spikedoc-sweep/1"


class Outcome(StrEnum):
    """How a run of a sweep ended; the values are the ids of the JSON output."""

    DIVERGING = "diverging"
    STUCK = "stuck"  # learned nothing
    UNSTABLE = "unstable"  # trouble in the first half
    UNSTABLE_LATE = "unstable-late"  # steady for at least half of its steps, then trouble
    TOO_SLOW = "too-slow"  # steady, at a rate below the best one, and clearly behind it
    WORSE = "worse"  # steady and clearly behind the best
    STEADY = "steady"
    UNKNOWN = "unknown"  # too little to judge


class Origin(StrEnum):
    """Where the swept setting was read."""

    CONFIG = "config"
    NAME = "name"
    SERIES = "series"  # the peak of the logged learning rate


@dataclass(frozen=True, slots=True)
class Setting:
    """The setting that differs; `key` is its name in the config or in the names of the runs."""

    key: str
    origin: Origin
    is_rate: bool  # a learning rate: larger is faster until it breaks


@dataclass(frozen=True, slots=True)
class Member:
    """One run of a sweep. Levels are medians of the loss up to the common step."""

    name: str
    path: str
    value: ConfigValue
    seed: ConfigValue | None
    status: Status
    outcome: Outcome
    since: int | None = None  # step from which the outcome was seen
    level: float | None = None
    error: float | None = None  # standard error of the level from this run alone
    last_step: int = 0
    labels: tuple[str, ...] = ()  # of the findings of its report
    remark: Text | None = None


@dataclass(frozen=True, slots=True)
class Value:
    """All runs with one value of the setting; the outcome is the worst among them."""

    value: ConfigValue
    outcome: Outcome
    members: tuple[Member, ...]
    level: float | None = None  # geometric mean over runs, or mean where losses are not positive
    low: float | None = None
    high: float | None = None

    @property
    def agreeing(self) -> int:
        """Return how many of the runs ended as `outcome` says."""
        return sum(member.outcome is self.outcome for member in self.members)


class Kind(StrEnum):
    """What can be said about the value to use."""

    PROPOSED = "proposed"
    EXTEND_UP = "extend-up"
    EXTEND_DOWN = "extend-down"
    UNTOLD = "untold"


@dataclass(frozen=True, slots=True)
class Proposal:
    """The value to use, or why none is proposed; `value` is where to go on for an extension."""

    kind: Kind
    text: Text
    value: ConfigValue | None = None


@dataclass(frozen=True, slots=True)
class Sweep:
    """Runs that differ in one setting."""

    setting: Setting
    signal: str
    step: int  # up to which all were compared
    values: tuple[Value, ...]
    proposal: Proposal
    window: tuple[float, float] | None = None
    fixed: Mapping[str, ConfigValue] = field(default_factory=dict)  # what tells it from other ones
    notes: tuple[Text, ...] = ()


@dataclass(frozen=True, slots=True)
class RangeTest:
    """One run whose learning rate rises exponentially; rates None where the loss does not tell."""

    name: str
    path: str
    first_rate: float
    last_rate: float
    steepest: float | None  # where the loss falls fastest
    turn: float | None  # where it is lowest before it rises
    broken: float | None  # where it is back above where it began
    text: Text


@dataclass(frozen=True, slots=True)
class Comparison:
    """All that was made of the runs given."""

    sweeps: tuple[Sweep, ...] = ()
    range_tests: tuple[RangeTest, ...] = ()
    coincidences: tuple[Coincidence, ...] = ()
    notes: tuple[Text, ...] = ()
