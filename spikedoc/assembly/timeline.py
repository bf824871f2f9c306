"""What else happened in a run: evaluations, changes of the learning rate, messages of the log."""

from __future__ import annotations

from typing import Final, TypeVar

import numpy as np

from spikedoc.model.charts import Event, EventKind, Lane
from spikedoc.model.metric import Metric
from spikedoc.model.run import FloatArray, IntArray, Run
from spikedoc.signal.transform import HUGE
from spikedoc.text import Text, format_value

# Events of one kind that a page lists; evenly spaced ones stand for more.
EVENTS_MOST: Final = 300
# A message is a line of the log; longer ones are cut.
MESSAGE_SIGNS: Final = 200
# A change between neighbouring points by more than 30 % is a step of the schedule (as the detector
# of schedules has it) …
STEP_RATIO: Final = 1.3
# … when it is this many times what the rate moves by around it (measured on cosine, polynomial and
# exponential schedules, whose tails also fall by more than 30 % from point to point).
STANDS_OUT: Final = 4.0
AROUND: Final = 5  # points on either side
# More candidates than this are no schedule that a list could tell.
CANDIDATES_MOST: Final = 5_000
TINY: Final = 1e-30

Item = TypeVar("Item")


def lanes(run: Run) -> tuple[Lane, ...]:
    """Return the lanes that have events."""
    made = (
        _lane(EventKind.EVALUATION, _evaluations(run)),
        _lane(EventKind.LR_CHANGE, _rate_changes(run)),
        _lane(EventKind.MESSAGE, _messages(run)),
    )
    return tuple(lane for lane in made if lane.total)


def _lane(kind: EventKind, events: list[Event]) -> Lane:
    return Lane(kind, len(events), tuple(evenly(events, EVENTS_MOST)))


def evenly(items: list[Item], most: int) -> list[Item]:
    """Return at most `most` of the items, evenly spaced, with the first and the last."""
    if len(items) <= most:
        return items
    places = np.unique(np.linspace(0, len(items) - 1, most).round().astype(int))
    return [items[place] for place in places]


def _evaluations(run: Run) -> list[Event]:
    known = run.get(Metric.VAL_LOSS)
    found = []
    for step in run.eval_steps.tolist():
        note = ""
        if known is not None and (i := known.index_at(step)) < len(known):
            exact = int(known.steps[i]) == step
            note = f"{known.name} {format_value(float(known.values[i]))}" if exact else ""
        found.append(Event(step, Text(note, note)))
    return found


def _messages(run: Run) -> list[Event]:
    told = [(step, line) for step, line in run.events if step is not None]
    lines = [(step, line[:MESSAGE_SIGNS]) for step, line in sorted(told, key=lambda one: one[0])]
    return [Event(step, Text(line, line)) for step, line in lines]


def _rate_changes(run: Run) -> list[Event]:
    """Return the steps of the learning rate and the end of its warm-up."""
    series = run.get(Metric.LR)
    if series is None:
        return []
    steps, values = series.finite()
    values = np.clip(values, -HUGE, HUGE)
    found = {int(steps[i]): _change(values, i) for i in rate_steps(values)}
    top = warmup_end(values)
    if top is not None:
        rate = format_value(float(values[top]))
        found[int(steps[top])] = Text(f"end of warm-up, {rate}", f"预热结束，{rate}")
    return [Event(step, note) for step, note in sorted(found.items())]


def _change(values: FloatArray, index: int) -> Text:
    before, after = format_value(float(values[index - 1])), format_value(float(values[index]))
    return Text(f"{before} → {after}", f"{before} → {after}")


def warmup_end(values: FloatArray) -> int | None:
    """Return the index of the first highest value when the rate rose to it step by step, or None.

    One step up is a step, not a warm-up; a rate that rises to the very end never ended it.
    """
    if values.size < 3:
        return None
    end = _rise(values)
    return end if 0 < end < values.size - 1 and values[end] >= values.max() else None


def _rise(values: FloatArray) -> int:
    """Return the index at which the rise from the start ends; 0 without one of several steps."""
    moves = np.diff(values)
    falls = np.flatnonzero(moves < 0)
    top = int(np.argmax(values[: int(falls[0]) + 1 if falls.size else values.size]))
    return top if np.count_nonzero(moves[:top] > 0) > 1 else 0


def rate_steps(values: FloatArray) -> IntArray:
    """Return the indices of the points at which the rate has stepped, up or down."""
    if values.size and values[-1] <= 0:  # where a decay ends
        values = values[:-1]
    if values.size < 3:
        return np.zeros(0, dtype=np.int64)
    moves = np.abs(np.diff(np.log(np.maximum(values, TINY))))
    large = np.flatnonzero(moves > np.log(STEP_RATIO))[:CANDIDATES_MOST]
    kept = [int(i) + 1 for i in large if moves[i] > STANDS_OUT * _usual_move(moves, int(i))]
    rise = _rise(values)
    return np.array([i for i in kept if i > rise], dtype=np.int64)


def _usual_move(moves: FloatArray, index: int) -> float:
    """Return the smaller of the usual moves on both sides: one of them may be the end of a ramp."""
    before = moves[max(0, index - AROUND) : index]
    after = moves[index + 1 : index + 1 + AROUND]
    sides = [float(np.max(side)) for side in (before, after) if side.size]
    return min(sides, default=0.0)
