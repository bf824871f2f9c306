"""What an interactive page draws beside the report's own curve: thinned series, events, folds.

Built only for a format that asks for it, and saved with the report then; a report without it is
whole in every other respect.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from spikedoc.model.metric import Metric
from spikedoc.text import Text


@dataclass(frozen=True, slots=True)
class Stretch:
    """A closed step interval in which `count` of the `points` logged values are NaN or infinite."""

    first_step: int
    last_step: int
    count: int
    points: int


@dataclass(frozen=True, slots=True)
class Curve:
    """A thinned series: extremes of equal stretches, and every point a finding speaks of.

    `values` are finite; what is not stands in `nonfinite`, complete but for the merging of
    neighbours when there are very many.
    """

    signal: str  # Series.name
    metric: Metric
    tag: str
    points: int  # logged, before thinning
    steps: tuple[int, ...]
    values: tuple[float, ...]
    nonfinite: tuple[Stretch, ...]
    log: bool  # a log axis shows it better


class EventKind(StrEnum):
    """What else happened at a step."""

    EVALUATION = "evaluation"
    LR_CHANGE = "lr-change"
    MESSAGE = "message"


@dataclass(frozen=True, slots=True)
class Event:
    """Something that happened at a step, with a few words on it."""

    step: int
    note: Text


@dataclass(frozen=True, slots=True)
class Lane:
    """The events of one kind in order of their steps; `total` counts those left out too."""

    kind: EventKind
    total: int
    events: tuple[Event, ...]


@dataclass(frozen=True, slots=True)
class FoldedCurve:
    """A series laid over itself at a period: per phase the middle and the spread of all cycles.

    Levels are relative to the local median of the series: 1.0 is "as usual here" when `is_ratio`,
    else 0.0, in the unit of the series.
    """

    finding: str  # its id
    signal: str
    period: float  # steps
    cycles: int
    phases: tuple[float, ...]  # steps after the start of a cycle
    low: tuple[float, ...]  # 10 % of the cycles lie below
    middle: tuple[float, ...]
    high: tuple[float, ...]  # 10 % of the cycles lie above
    is_ratio: bool
    log: bool  # a log axis shows it better


@dataclass(frozen=True, slots=True)
class Charts:
    """Everything drawn beside the report's own curve; the first curve is the one it is about."""

    curves: tuple[Curve, ...]
    lanes: tuple[Lane, ...] = ()
    folds: tuple[FoldedCurve, ...] = ()
