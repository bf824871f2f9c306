"""A loss that stands off its level right after evaluations and comes back, upwards or downwards."""

from __future__ import annotations

from typing import Final

import numpy as np

from spikedoc.model.anomaly import Detection, Shape
from spikedoc.model.run import Run
from spikedoc.signal.after_events import after_events
from spikedoc.signal.transform import Scale, ratio
from spikedoc.signal.view import view

NAME: Final = "after_evaluation"
MIN_POINTS: Final = 100


def detect(run: Run) -> tuple[Detection, ...]:
    """Return AFTER_EVALUATION for the loss that changes after most evaluations, for some points.

    `off` is how far it stands off, in natural logarithms where it is judged so, `width` for how
    many steps, `errors` how many standard errors that is, `count` at how many evaluations;
    `rise_percent` or `dip_percent` say the same of a loss judged in logarithms.
    """
    series = run.main_loss
    if series is None or series.steps.size < MIN_POINTS:
        return ()
    seen = view(series.steps, series.values)
    evaluated = run.eval_steps
    starts = np.searchsorted(seen.steps, evaluated, side="right")
    found = after_events(seen.judged, starts)
    if found is None:
        return ()
    begins = starts[starts + found.shift + found.width <= len(seen)] + found.shift
    begins = begins[begins >= 0][: found.count + 1]
    measures = {
        "period": float(np.median(np.diff(evaluated))),
        "count": float(found.count),
        "off": found.size,
        "errors": found.errors,
        "width": found.width * seen.stride,
    }
    if seen.scale is Scale.LOG:
        name = "rise_percent" if found.size > 0 else "dip_percent"
        measures[name] = 100.0 * abs(ratio(found.size) - 1.0)
    first, last = int(seen.steps[begins[0]]), int(seen.steps[-1])
    if begins.size < starts.size - 1:  # seen at the first ones only
        last = min(last, int(seen.steps[begins[-1]] + measures["period"]))
    offs = np.abs(seen.judged[begins] - seen.judged[np.maximum(begins - 1, 0)])
    peak = int(seen.steps[begins[int(np.argmax(offs))]])
    return (Detection(NAME, Shape.AFTER_EVALUATION, series.name, first, peak, last, measures),)


DETECTOR: Final = detect
