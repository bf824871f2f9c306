"""Spikes of several runs at one place of the data, weighed against spikes that meet by chance.

The null model: the runs have nothing in common, so the spikes of each fall independently anywhere
in the fifth of the steps around the place, as many as there are. How often a place anywhere in the
run would then be met by so many runs is bounded by the sum over all places.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from spikedoc.model.anomaly import Shape
from spikedoc.model.label import Form, Kind
from spikedoc.model.metric import Metric
from spikedoc.model.report import Report
from spikedoc.model.run import FloatArray, Run
from spikedoc.sweep._coincidence_words import describe
from spikedoc.sweep.result import Coincidence

SPIKES: Final = frozenset({Kind.ISOLATED_SPIKE, Kind.SLOW_RECOVERY, Kind.NONFINITE})
SPIKY: Final = frozenset({Shape.POINT, Shape.LONE, Shape.NONFINITE})
LOSSES: Final = (Metric.LOSS, Metric.GRAD_NORM)
# Named when unrelated spikes would meet so in fewer than one of a hundred sets of runs …
MOST_CHANCE: Final = 0.01
# … after three ways of looking (by step, by place in the epoch, by samples).
VIEWS: Final = 3
# Spikes of one run gather where training is shaky: the rate is taken from this share around.
NEIGHBOURHOOD: Final = 0.2
# The first steps of training are restless in every run.
EARLY_SHARE: Final = 0.02
# A spike this many logged points from an evaluation, a restart or a cut of the rate may come of it.
NEAR_POINTS: Final = 2
# A rate that changes by this factor from one logged point to the next was cut or reset.
RATE_JUMP: Final = 1.5
MOST_PLACES: Final = 5


@dataclass(frozen=True, slots=True)
class Seen:
    """The spikes of one run on one axis: its steps, its place in the epoch, or its samples."""

    run: Run
    places: FloatArray
    first: float
    last: float
    width: float  # of one logged point on this axis

    @property
    def span(self) -> float:
        """Return the length of the axis."""
        return self.last - self.first + self.width

    def near(self, place: float, room: float) -> bool:
        """Return whether the run spikes within `room` of the place."""
        return bool(np.any(np.abs(self.places - place) <= room))

    def chance(self, place: float, room: float) -> float:
        """Return the probability that one of its spikes, anywhere around, falls so near."""
        reach = max(NEIGHBOURHOOD / 2 * self.span, 1.0)
        count = max(1, int(np.sum(np.abs(self.places - place) <= reach)))
        share = min(1.0, (2 * room + self.width) / min(self.span, 2 * reach))
        return float(1.0 - (1.0 - share) ** count)


def coincidences(examined: Sequence[tuple[Run, Report]]) -> tuple[Coincidence, ...]:
    """Return the places at which several of the runs spike, beyond what chance explains.

    A place where the runs were evaluated, resumed or had their learning rate cut is left out: it
    has another explanation. Runs that are copies of each other count once.
    """
    spikes = [(run, spike_steps(run, report)) for run, report in _distinct(examined)]
    found: list[Coincidence] = []
    if sum(steps.size > 0 for _, steps in spikes) < 2:
        return ()
    for view, seen in _views(spikes).items():
        found += _in_view(view, seen)
    return tuple(_without_repeats(found))[:MOST_PLACES]


def spike_steps(run: Run, report: Report) -> FloatArray:
    """Return the steps at which the loss or the gradient norm spikes, rising."""
    names = {s.name for s in run.series if s.metric in LOSSES and s.rank is None}
    found: set[int] = set()
    for finding in report.findings:
        anomaly = finding.anomaly
        if anomaly.kind not in SPIKES or anomaly.signal not in names:
            continue
        if anomaly.kind is Kind.NONFINITE and anomaly.form is not Form.TRANSIENT:
            continue
        points = [d.peak_step for d in anomaly.detections if d.shape in SPIKY]
        found.update(points or [anomaly.peak_step])
    steps = sorted(step for step in found if not _has_explanation(run, step))
    return np.array(steps, dtype=np.float64)


def _distinct(examined: Sequence[tuple[Run, Report]]) -> list[tuple[Run, Report]]:
    """The runs without copies: the same losses twice are one observation."""
    known: set[tuple[bytes, bytes]] = set()
    kept = []
    for run, report in examined:
        loss = run.main_loss
        if loss is None or not len(loss):
            continue
        key = (loss.steps.tobytes(), loss.values.tobytes())
        if key not in known:
            known.add(key)
            kept.append((run, report))
    return kept


def _has_explanation(run: Run, step: int) -> bool:
    """Whether something other than the data happens at the step."""
    loss = run.main_loss
    room = NEAR_POINTS * (1.0 if loss is None else loss.stride)
    first, last = run.first_step, run.last_step
    if step < first + EARLY_SHARE * (last - first):
        return True
    marks = [restart.step for restart in run.restarts]
    marks += [int(s) for s in run.eval_steps]
    lr = run.get(Metric.LR)
    if lr is not None and len(lr) > 1:
        with np.errstate(divide="ignore", invalid="ignore"):
            jump = np.abs(np.log(lr.values[1:] / lr.values[:-1])) > math.log(RATE_JUMP)
        marks += [int(s) for s in lr.steps[1:][jump]]
    every_point = loss is not None and len(run.eval_steps) >= len(loss) / (2 * NEAR_POINTS)
    if every_point:  # evaluated all the time: near an evaluation says nothing
        marks = [restart.step for restart in run.restarts]
    return any(abs(step - mark) <= room for mark in marks)


def _views(spikes: Sequence[tuple[Run, FloatArray]]) -> dict[str, list[Seen]]:
    """The spikes on each axis that the runs have in common."""
    views = {"step": [_by_step(run, steps) for run, steps in spikes]}
    lengths = [run.steps_per_epoch for run, _ in spikes]
    if all(length is not None and length >= 2 for length in lengths):
        long = [_by_phase(r, s, n or 1.0) for (r, s), n in zip(spikes, lengths, strict=True)]
        if any(run.last_step >= 2 * (run.steps_per_epoch or math.inf) for run, _ in spikes):
            views["epoch-phase"] = long
    batches = [batch_of(run) for run, _ in spikes]
    if None not in batches and len(set(batches)) > 1:
        views["samples"] = [
            _by_samples(run, steps, batch or 1)
            for (run, steps), batch in zip(spikes, batches, strict=True)
        ]
    return views


def batch_of(run: Run) -> int | None:
    """Return how many samples one step takes, None where the config does not say."""
    parts = [run.config.get("batch_size"), run.config.get("accumulation", 1)]
    if not all(isinstance(part, int) and not isinstance(part, bool) and part > 0 for part in parts):
        return None
    return math.prod(int(part) for part in parts if part is not None)


def _by_step(run: Run, steps: FloatArray) -> Seen:
    loss = run.main_loss
    stride = 1.0 if loss is None else loss.stride
    return Seen(run, steps, float(run.first_step), float(run.last_step), stride)


def _by_phase(run: Run, steps: FloatArray, length: float) -> Seen:
    loss = run.main_loss
    stride = 1.0 if loss is None else loss.stride
    phases = np.unique(np.round(np.mod(steps, length))).astype(np.float64)
    return Seen(run, phases, 0.0, length - stride, stride)


def _by_samples(run: Run, steps: FloatArray, batch: int) -> Seen:
    seen = _by_step(run, steps)
    return Seen(run, steps * batch, seen.first * batch, seen.last * batch, seen.width * batch)


def _in_view(view: str, seen: Sequence[Seen]) -> list[Coincidence]:
    found = []
    for place in np.unique(np.concatenate([one.places for one in seen])):
        present = [one for one in seen if one.first <= place <= one.last]
        width = max(one.width for one in present)
        for room in (0.0, width):
            there = [one for one in present if one.near(float(place), room)]
            chance = _chance(present, len(there), float(place), room)
            if len(there) >= 2 and chance <= MOST_CHANCE:
                found.append(_coincidence(view, float(place), room, there, present, chance))
                break
    return found


def _chance(present: Sequence[Seen], count: int, place: float, room: float) -> float:
    """Bound on the probability that unrelated spikes of so many runs meet, anywhere."""
    if count < 2:
        return 1.0
    odds = [one.chance(place, room) for one in present if one.places.size]
    met = np.ones(1)
    for p in odds:
        met = np.convolve(met, [1.0 - p, p])
    start = max(one.first for one in present)
    end = min(one.last for one in present)
    width = max(one.width for one in present)
    cells = max(1.0, (end - start) / (2 * room + width))
    ways = 2 * VIEWS  # each view at two widths
    return float(min(1.0, ways * cells * met[count:].sum()))


def _coincidence(
    view: str,
    place: float,
    room: float,
    there: Sequence[Seen],
    present: Sequence[Seen],
    chance: float,
) -> Coincidence:
    met = [float(p) for one in there for p in one.places if abs(p - place) <= room]
    first, last = int(min(met)), int(max(met))
    runs = [one.run for one in there]
    points, text = describe(view, first, last, runs, len(present), chance)
    names = tuple(run.name for run in runs)
    return Coincidence(view, first, last, names, len(present), chance, points, text)


def _without_repeats(found: Sequence[Coincidence]) -> list[Coincidence]:
    """The least likely first; one place seen on two axes by the same runs is told once."""
    kept: list[Coincidence] = []
    for one in sorted(found, key=lambda c: (c.chance, c.view != "step", c.first)):
        near = [
            k for k in kept if k.view == one.view and k.first <= one.last and one.first <= k.last
        ]
        same = [k for k in kept if k.view != one.view and set(k.runs) >= set(one.runs)]
        if not near and not same:
            kept.append(one)
    return kept


def shared_steps(found: Sequence[Coincidence]) -> Mapping[str, tuple[int, ...]]:
    """Return by the name of each run the steps that are shared with other runs."""
    by_run: dict[str, list[int]] = {}
    for one in found:
        if one.view == "step":
            for name in one.runs:
                by_run.setdefault(name, []).extend(range(one.first, one.last + 1))
    return {name: tuple(steps) for name, steps in by_run.items()}
