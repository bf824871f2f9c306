"""The whole answer: complete enough for every renderer, saved and read back without loss."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from spikedoc.model.anomaly import Anomaly
from spikedoc.model.charts import Charts
from spikedoc.model.evidence import Evidence
from spikedoc.model.knowledge import Cost, Rule
from spikedoc.model.label import Status
from spikedoc.model.run import Checkpoint, ConfigValue, Source
from spikedoc.text import FieldValue, Text

SCHEMA = "spikedoc-report/1"


@dataclass(frozen=True, slots=True)
class Finding:
    """An anomaly with an id to refer to, a sentence to read, and the name of its label."""

    id: str  # "F1", "F2" … in order of importance
    anomaly: Anomaly
    summary: Text
    title: Text | None = None  # readers see the label itself where there is none


@dataclass(frozen=True, slots=True)
class Advice:
    """A check or fix with this run's numbers filled in."""

    id: str
    text: Text
    values: Mapping[str, FieldValue] = field(default_factory=dict)
    cost: Cost | None = None
    settings: tuple[str, ...] = ()  # the same in the words of the framework, a line each


@dataclass(frozen=True, slots=True)
class Cause:
    """A ranked cause: the rule, how likely it is right, and the evidence found."""

    rank: int
    rule: Rule
    score: float  # 0..1
    findings: tuple[str, ...]
    evidence: tuple[Evidence, ...]
    checks: tuple[Advice, ...]
    fixes: tuple[Advice, ...]


@dataclass(frozen=True, slots=True)
class ChecklistItem:
    """One entry of the ordered procedure; `causes` are the rule codes it helps to tell apart."""

    stage: Text
    check: Advice
    causes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Rollback:
    """Where to go back to; `checkpoint` is None when none was found in the run folder.

    `wasted_…` counts from there to the end of the log, `lost_…` from the step at which the run was
    lost; seconds are None where the log holds no times.
    """

    step: int
    checkpoint: str | None
    reason: Text
    wasted_steps: int
    wasted_seconds: float | None
    sign_step: int | None = None  # where the first signal left its normal band …
    sign_signal: str | None = None  # … and which one it was
    lost_step: int | None = None
    lost_steps: int | None = None
    lost_seconds: float | None = None


@dataclass(frozen=True, slots=True)
class GuardReplay:
    """What a guard would have done, simulated on the logged values alone."""

    id: str
    title: Text
    finding: str  # id of the finding it is measured by
    signals: tuple[str, ...]  # series it watched
    first_step: int | None  # first firing for this finding, None when it would not have fired
    false_alarms: int  # firings before the first sign of any finding
    steps_before_finding: int | None  # negative: it would have fired later
    steps_before_end: int | None
    statement: Text


@dataclass(frozen=True, slots=True)
class Gap:
    """Something that was not logged and would have told causes apart."""

    signal: str  # a Metric value or a config key
    would_tell: Text
    log: str = ""  # what logs it next time, in the words of the framework; "" where it is unknown


@dataclass(frozen=True, slots=True)
class Framework:
    """In whose words settings are given; not `recognised`: plain PyTorch stands in."""

    id: str
    name: str
    recognised: bool


@dataclass(frozen=True, slots=True)
class Signal:
    """A series as the report describes it."""

    tag: str
    points: int
    first_step: int
    last_step: int
    stride: float
    nonfinite: int


@dataclass(frozen=True, slots=True)
class Plot:
    """A thinned curve for display that keeps every anomalous point, on a log axis or not."""

    signal: str
    steps: tuple[float, ...]
    values: tuple[float, ...]
    log: bool


@dataclass(frozen=True, slots=True)
class RunFacts:
    """What the report says about the run itself."""

    name: str
    path: str
    sources: tuple[Source, ...] = ()
    signals: Mapping[str, Signal] = field(default_factory=dict)
    segments: tuple[tuple[int, int], ...] = ()
    config: Mapping[str, ConfigValue] = field(default_factory=dict)
    checkpoints: tuple[Checkpoint, ...] = ()


@dataclass(frozen=True, slots=True)
class Report:
    """Everything spikedoc has to say about one run, in both languages."""

    spikedoc_version: str
    run: RunFacts
    status: Status
    headline: Text
    findings: tuple[Finding, ...] = ()
    causes: tuple[Cause, ...] = ()
    checklist: tuple[ChecklistItem, ...] = ()
    rollback: Rollback | None = None
    gaps: tuple[Gap, ...] = ()
    limits: tuple[Text, ...] = ()
    notes: tuple[Text, ...] = ()
    plot: Plot | None = None
    guards: tuple[GuardReplay, ...] = ()
    framework: Framework | None = None
    snippet: tuple[str, ...] = ()  # code that logs what was missing, in the framework's words
    schema: str = SCHEMA
    charts: Charts | None = None  # for formats that draw, or are drawn from later
