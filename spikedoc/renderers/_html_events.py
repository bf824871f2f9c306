"""The timeline of a run: restarts, evaluations, checkpoints, learning rate, messages."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from spikedoc.cleaning import name, one_line
from spikedoc.model.charts import Event, EventKind
from spikedoc.model.report import Report
from spikedoc.renderers._strings import table
from spikedoc.renderers._wording import public_path, without_user_paths
from spikedoc.text import Text

RESTART: Final = "restart"
CHECKPOINT: Final = "checkpoint"
# From top to bottom; the ids are those of the words and of the style.
KINDS: Final = (
    RESTART,
    CHECKPOINT,
    EventKind.EVALUATION.value,
    EventKind.LR_CHANGE.value,
    EventKind.MESSAGE.value,
)
# A run may save at every step; so many are enough for a picture.
CHECKPOINTS_MOST: Final = 300


@dataclass(frozen=True, slots=True)
class EventLane:
    """The events of one kind, in order; `total` counts those left out too."""

    kind: str
    total: int
    events: tuple[Event, ...]

    @property
    def left_out(self) -> int:
        """Return how many are not listed."""
        return self.total - len(self.events)


def event_lanes(report: Report) -> list[EventLane]:
    """Return the lanes that hold something; notes are safe to show, in both languages."""
    found = {RESTART: _restarts(report), CHECKPOINT: _checkpoints(report)}
    for lane in report.charts.lanes if report.charts else ():
        path = report.run.path
        events = tuple(Event(e.step, _clean(e.note, path)) for e in lane.events)
        found[lane.kind.value] = EventLane(lane.kind.value, lane.total, events)
    return [found[kind] for kind in KINDS if kind in found and found[kind].events]


def _clean(note: Text, path: str) -> Text:
    return Text(
        one_line(without_user_paths(note.en, path)), one_line(without_user_paths(note.zh, path))
    )


def _restarts(report: Report) -> EventLane:
    segments = report.run.segments
    events = [
        Event(after[0], table()["page.resumed_after"].fill({"step": before[1]}))
        for before, after in pairwise(segments)
    ]
    return EventLane(RESTART, len(events), tuple(events))


def _checkpoints(report: Report) -> EventLane:
    run = report.run
    saved = sorted((c.step, c.path) for c in run.checkpoints if c.step is not None)
    shown = [(step, name(public_path(path, run.path))) for step, path in saved[-CHECKPOINTS_MOST:]]
    events = tuple(Event(step, Text(path, path)) for step, path in shown)
    return EventLane(CHECKPOINT, len(saved), events)
