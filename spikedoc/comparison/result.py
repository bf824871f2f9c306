"""What two runs side by side come to: the answer of `spikedoc compare`, whole and frozen."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final

from spikedoc.model.label import Status
from spikedoc.model.metric import Metric
from spikedoc.model.report import Plot
from spikedoc.model.run import ConfigValue
from spikedoc.text import Text

SCHEMA: Final = "spikedoc-comparison/1"


class Outcome(StrEnum):
    """Whether two runs part."""

    IDENTICAL = "identical"  # every value at every common step, bit for bit
    TOGETHER = "together"  # what differs is not more than noise and seed make
    PARTED = "parted"
    UNDECIDED = "undecided"  # too little in common to say


class PartingKind(StrEnum):
    """How two series part."""

    LEVEL = "level"  # to the end of what both logged
    POINT = "point"  # a spike in one of them alone
    NONFINITE = "nonfinite"  # one becomes NaN or infinite
    VALUE = "value"  # of a schedule, which has no noise


class Alignment(StrEnum):
    """How the points of two series were paired."""

    STEPS = "steps"  # at the steps both logged
    INTERPOLATED = "interpolated"  # the denser one between its points, at the steps of the sparser
    NONE = "none"


class Side(StrEnum):
    """One of the two runs."""

    A = "a"
    B = "b"


class Change(StrEnum):
    """What a second run was meant to differ in: the experiment that it is."""

    REPEAT = "repeat"
    DATA = "data"
    STATE = "state"
    PRECISION = "precision"
    BATCH = "batch"
    DEVICES = "devices"
    SEED = "seed"
    LR = "lr"
    SAMPLES = "samples"


class Source(StrEnum):
    """How it is known what was changed."""

    TOLD = "told"
    SETTINGS = "settings"
    LOGS = "logs"  # the same batches with other losses from the first step on: another state
    ASSUMED = "assumed"


class Verdict(StrEnum):
    """What became of the event of the first run in the second."""

    SAME_STEP = "same-step"
    OTHER_STEP = "other-step"
    NOT_REPRODUCED = "not-reproduced"
    CANNOT_TELL = "cannot-tell"


@dataclass(frozen=True, slots=True)
class Parting:
    """Where two series part, and how far; `units` are standard deviations of their own noise."""

    kind: PartingKind
    step: int
    higher: Side  # the one above; of NONFINITE the one that breaks
    units: float  # 0.0 where there is no noise to measure by
    ratio: float  # value of B over that of A; NaN where it means nothing
    until: int | None = None  # last step of it, None: to the end of what both logged


@dataclass(frozen=True, slots=True)
class Course:
    """One series over the steps that both runs cover; NaN for what cannot be measured."""

    points: int
    level: float  # median of its last tenth
    level_before: float  # … of the tenth before they part
    slope: float  # change per 1000 steps over the second half
    noise: float  # standard deviation around its own course: relative, or absolute on LINEAR
    memory: float  # correlation of neighbouring points
    nonfinite: int


@dataclass(frozen=True, slots=True)
class SignalDifference:
    """One quantity in both runs."""

    name: str
    metric: Metric
    tags: tuple[str, str]
    alignment: Alignment
    common: int  # steps that both logged
    pairs: int  # pairs judged
    first_step: int
    last_step: int
    relative: bool  # noise and difference are relative: both series are positive
    a: Course
    b: Course
    identical_until: int | None  # last step of the identical beginning; None without one
    first_difference: int | None  # first common step with another value
    first_difference_size: float | None  # … relative to the larger of the two
    units: float  # difference of the end levels in units of their noise, B over A positive
    visible: float  # the smallest relative difference of level that would be called one
    shared_noise: float | None  # correlation of the noise of both; None for too few pairs
    constant_ratio: float | None  # B over A where it is the same at all steps
    constant_difference: float | None  # B minus A where that is the same at all steps, no ratio
    parting: Parting | None
    episodes: tuple[Parting, ...] = ()  # apart for a while, then together again

    @property
    def is_identical(self) -> bool:
        """Whether every value at every common step is the same."""
        return self.common > 0 and self.first_difference is None


@dataclass(frozen=True, slots=True)
class TimeToLoss:
    """Steps and seconds until the smoothed loss first reaches `target`, which both do."""

    signal: str
    target: float
    steps: tuple[int, int]
    seconds: tuple[float | None, float | None]

    @property
    def ratio(self) -> float:
        """Return how many times as many steps B needs."""
        return self.steps[1] / self.steps[0] if self.steps[0] > 0 else float("nan")


@dataclass(frozen=True, slots=True)
class SettingDifference:
    """A setting that both recorded and that differs."""

    key: str
    a: ConfigValue
    b: ConfigValue
    telling: bool  # one of those that change what is learned


@dataclass(frozen=True, slots=True)
class Event:
    """A finding of one run in a few words."""

    label: str
    signal: str
    step: int
    severity: str
    summary: Text


@dataclass(frozen=True, slots=True)
class RunSummary:
    """One of the two runs."""

    name: str
    path: str
    status: Status
    first_step: int
    last_step: int
    points: int  # of the main loss
    settings: int  # recorded
    is_stretch: bool  # begins late: from a checkpoint, so that it has no start to be judged by
    events: tuple[Event, ...] = ()


@dataclass(frozen=True, slots=True)
class ReplayVerdict:
    """Whether the event came again, and what follows from that."""

    verdict: Verdict
    change: Change
    source: Source
    reason: Text  # what was seen
    proves: Text
    proves_not: Text
    next: Text
    event: Event | None = None  # of A
    found_step: int | None = None  # in B
    tolerance: int = 0  # steps
    measures: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Comparison:
    """Everything there is to say about two runs side by side, in both languages."""

    spikedoc_version: str
    a: RunSummary
    b: RunSummary
    outcome: Outcome
    headline: Text
    signals: tuple[SignalDifference, ...]
    first: str | None  # name of the signal that parts first
    settings: tuple[SettingDifference, ...] = ()
    time_to_loss: TimeToLoss | None = None
    statements: tuple[Text, ...] = ()
    warnings: tuple[Text, ...] = ()
    replay: ReplayVerdict | None = None
    offset: int = 0  # added to the steps of B
    plots: tuple[Plot | None, Plot | None] = (None, None)
    schema: str = SCHEMA

    def signal(self, name: str) -> SignalDifference | None:
        """Return the difference of the signal called `name`, or None."""
        return next((one for one in self.signals if one.name == name), None)
