"""Patterns that come back: each epoch, after each evaluation, or at a period found in the loss."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

import numpy as np

from spikedoc.model.anomaly import Detection, Shape
from spikedoc.model.run import Run, Series
from spikedoc.signal.alternation import Alternation, alternation
from spikedoc.signal.around import correlation, detrended
from spikedoc.signal.excursion import candidates
from spikedoc.signal.fold import DROP_SHARE, MIN_CYCLES, Fold, fold
from spikedoc.signal.found_period import found_period, repeats, sharpened
from spikedoc.signal.lattice import PHASE_STRIDES, PHASE_WIDTH, on_lattice
from spikedoc.signal.quick_swing import QuickSwing, quick_swing
from spikedoc.signal.view import View, view
from spikedoc.signal.wave import Wave, find_wave

NAME: Final = "periods"
MIN_POINTS: Final = 200
# From half as many points a known period is believed that explains half of the scatter, twice what
# a found one must: white noise of 150 points explains .05 (one standard deviation).
MIN_KNOWN_POINTS: Final = 100
KNOWN_ETA2: Final = 0.5
KNOWN_CYCLES: Final = 4
# Single spikes at one place of the epoch need no profile, and carry their own measure of chance.
MIN_EVENT_POINTS: Final = 100
GAP_MAX: Final = 1e3
# Two periods within 5 % are the same one.
SAME_PERIOD: Final = 0.05
MIN_EVALUATIONS: Final = 4
# Spikes at one place of the epoch: an epoch of ten logged points at least, the first tenth left
# out, and not so many spikes that they are the noise.
MIN_EPOCH_STRIDES: Final = 10.0
EARLY_SHARE: Final = 10
MOST_EVENTS: Final = 500
# A pattern that holds for a part of the run only is sought in this many parts of a long log.
STRETCHES: Final = 8
STRETCH_MIN_POINTS: Final = 500
# Neighbours are compared about the medians of so many points: slower swings are no memory.
MEMORY_WINDOW: Final = 101


def detect(run: Run) -> tuple[Detection, ...]:
    """Return at most one periodic detection of the loss: the one that explains most.

    A swing of a few points is told before longer periods are sought: it repeats at its multiples.
    """
    series = run.main_loss
    if series is None:
        return ()
    seen = view(series.steps, series.values)
    if (turns := alternation(seen.judged)) is not None and not _is_half_epochs(run, seen):
        return (_turns(series, seen, turns),)
    if len(seen) < MIN_POINTS:
        few = _in_few_points(series, run, seen)
        return () if few is None else (few,)
    best = _at_known_periods(run, seen)
    if best is None and (gathered := _events_gather(series, run, seen)) is not None:
        return (gathered,)
    if best is None and (quick := quick_swing(seen.judged)) is not None:
        return (_swing(series, seen, quick, quick.first),)
    found = found_period(seen) if best is None else None
    best = best if found is None else (Shape.PERIOD, found)
    if best is not None:
        shape, folded = best
        return (_detection(series, seen, shape, folded),)
    if (stretch := _in_a_stretch(series, seen)) is not None:
        return (stretch,)
    wave = find_wave(seen.judged)
    return () if wave is None else (_swing(series, seen, wave, len(seen) // 5),)


def _in_few_points(series: Series, run: Run, seen: View) -> Detection | None:
    if len(seen) >= MIN_KNOWN_POINTS:
        best = _at_known_periods(run, seen, KNOWN_CYCLES)
        if best is not None and best[1].eta2 >= KNOWN_ETA2:
            return _detection(series, seen, *best)
    return _events_gather(series, run, seen) if len(seen) >= MIN_EVENT_POINTS else None


def _is_half_epochs(run: Run, seen: View) -> bool:
    """Return whether two points are an epoch, whose halves may differ in health."""
    epoch = run.steps_per_epoch
    turn = 2.0 * seen.stride
    return epoch is not None and abs(epoch - turn) <= SAME_PERIOD * turn


def _turns(series: Series, seen: View, turns: Alternation) -> Detection:
    values = seen.values[turns.first : turns.last + 1]
    levels = sorted((float(np.median(values[::2])), float(np.median(values[1::2]))))
    measures = {
        "period": turns.period_points * seen.stride,
        "strength": turns.strength,
        "amplitude": turns.amplitude,
        "cycles": turns.cycles,
        "low": levels[0],
        "high": levels[1],
    }
    first, last = int(seen.steps[turns.first]), int(seen.steps[turns.last])
    return Detection(NAME, Shape.WAVE, series.name, first, first, last, measures)


def _swing(series: Series, seen: View, wave: Wave | QuickSwing, first: int) -> Detection:
    begin, last = int(seen.steps[first]), int(seen.steps[-1])
    measures = {
        "period": wave.period_points * seen.stride,
        "strength": wave.strength,
        "amplitude": wave.amplitude,
        "cycles": wave.cycles,
    }
    return Detection(NAME, Shape.WAVE, series.name, begin, begin, last, measures)


def _at_known_periods(run: Run, seen: View, least: int = MIN_CYCLES) -> tuple[Shape, Fold] | None:
    """Fold at the epoch length and at the evaluation interval; the stronger one wins."""
    epoch, interval = run.steps_per_epoch, evaluation_interval(run)
    found: list[tuple[Shape, Fold]] = []
    if epoch is not None and (folded := fold(seen.judged, seen.steps, epoch, least)) is not None:
        found.append((Shape.EPOCH_PROFILE, folded))
    apart = interval is not None and (
        epoch is None or abs(interval - epoch) > SAME_PERIOD * max(epoch, 1.0)
    )
    if interval is not None and apart:
        offset = int(run.eval_steps[-1]) % max(1, round(interval))
        folded = fold(seen.judged, seen.steps - offset, interval, least)
        if folded is not None:
            shape = Shape.AFTER_EVALUATION if epoch is not None else Shape.PERIOD
            found.append((shape, replace(folded, peak_step=folded.peak_step + offset)))
    kept = [(shape, f) for shape, f in found if repeats(f)]
    return max(kept, key=lambda pair: pair[1].eta2, default=None)


def _events_gather(series: Series, run: Run, seen: View) -> Detection | None:
    """Return spikes that fall on one phase of the epoch, though not in every epoch."""
    # Where no epoch length is known, evaluations are most often one epoch apart.
    epoch = run.steps_per_epoch or evaluation_interval(run)
    if epoch is None or epoch < MIN_EPOCH_STRIDES * seen.stride:
        return None
    groups = [c for c in candidates(seen.judged) if c.first >= len(seen) // EARLY_SHARE]
    steps = seen.steps[[c.peak for c in groups]].astype(np.float64)
    if steps.size > MOST_EVENTS:
        return None
    found = on_lattice(steps, epoch, seen.stride)
    if found is None:
        return None
    phase = found.phase * epoch
    distance = np.abs((steps - phase + epoch / 2) % epoch - epoch / 2)
    there = steps[distance <= max(PHASE_STRIDES * seen.stride, PHASE_WIDTH * epoch)]
    measures = {
        "period": epoch,
        "count": float(found.hits),
        "events": float(found.events),
        "phase_step": phase,
        "chance": found.chance,
    }
    if there.size == 0:  # steps so large that a phase has no digits left
        return None
    first, last = int(there.min()), int(there.max())
    shape = Shape.EPOCH_PROFILE if run.steps_per_epoch is not None else Shape.PERIOD
    return Detection(NAME, shape, series.name, first, first, last, measures)


def _in_a_stretch(series: Series, seen: View) -> Detection | None:
    """Return a period that holds for a part of a long log only: one pass over unshuffled shards.

    The log is cut into eight parts; neighbouring parts that share the strongest part's period make
    the stretch.
    """
    if len(seen) < STRETCHES * STRETCH_MIN_POINTS:
        return None
    parts = [
        View(s, v, j, seen.scale)
        for s, v, j in zip(
            np.array_split(seen.steps, STRETCHES),
            np.array_split(seen.values, STRETCHES),
            np.array_split(seen.judged, STRETCHES),
            strict=True,
        )
    ]
    found = [found_period(part) for part in parts]
    best = max((f for f in found if f is not None), key=lambda f: f.eta2, default=None)
    if best is None:
        return None
    same = [
        (part, f)
        for part, f in zip(parts, found, strict=True)
        if f is not None and abs(f.period - best.period) <= SAME_PERIOD * best.period
    ]
    first, last = int(same[0][0].steps[0]), int(same[-1][0].steps[-1])
    within = slice(*np.searchsorted(seen.steps, [first, last + 1]))
    whole = View(seen.steps[within], seen.values[within], seen.judged[within], seen.scale)
    best = sharpened(whole, fold(whole.judged, whole.steps, best.period) or best)
    measures = _measures(best, first, last, seen.stride)
    measures |= {"memory": _memory(whole), "stretch": 1.0}
    return Detection(NAME, Shape.PERIOD, series.name, first, best.peak_step, last, measures)


def evaluation_interval(run: Run) -> float | None:
    """Return the steps between evaluations when they are regular, else None."""
    steps = run.eval_steps
    if steps.size < MIN_EVALUATIONS:
        return None
    gaps = np.diff(steps)
    usual = float(np.median(gaps))
    regular = np.mean(np.abs(gaps - usual) <= SAME_PERIOD * usual + 1.0)
    return usual if usual > 0 and regular >= 0.8 else None


def _detection(series: Series, seen: View, shape: Shape, f: Fold) -> Detection:
    first = int(seen.steps[int(DROP_SHARE * len(seen))])
    last = int(seen.steps[-1])
    peak = max(first, f.peak_step)
    measures = _measures(f, first, last, seen.stride) | {"memory": _memory(seen)}
    return Detection(NAME, shape, series.name, first, peak, last, measures)


def _memory(seen: View) -> float:
    """Return how alike neighbouring points are: near 1 where the logger averages many steps."""
    apart = detrended(seen.judged, MEMORY_WINDOW)[int(DROP_SHARE * len(seen)) :]
    return correlation(apart[:-1], apart[1:])


def _measures(f: Fold, first: int, last: int, stride: float) -> dict[str, float]:
    return {
        "period": f.period,
        "cycles": float(round((last - first) / f.period)),
        "eta2": f.eta2,
        "rho": f.rho,
        # Steps stand at the beginning of a bin, not in its middle.
        "phase_step": max(0.0, f.peak_phase - stride / 2),
        "height": f.peak_height,
        "gap": min(f.peak_gap, GAP_MAX),
        "consistency": f.consistency,
        "ramp": correlation(f.profile, np.arange(f.profile.size, dtype=np.float64)),
    }


DETECTOR: Final = detect
