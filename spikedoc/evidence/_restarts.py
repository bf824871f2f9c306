"""The restart an anomaly may belong to, or that lies further back."""

from __future__ import annotations

from typing import Final

from spikedoc.evidence._events import signal
from spikedoc.evidence._facts import spacing
from spikedoc.evidence.base import Case
from spikedoc.model.run import Restart, Run

# An anomaly belongs to a restart that lies at most this many logged points before its onset, or
# this share of the run: a reset schedule or a cold optimizer acts after a few steps. Five points of
# a log of a dozen are half of it: there the next point alone is near, or a tenth of the log.
NEAR_POINTS: Final = 5
NEAR_SHARE: Final = 0.01
NEAR_MOST: Final = 0.10


# A restart that lies this share of the run before the onset has nothing to do with it.
EARLIER_SHARE: Final = 0.40


# The history of a Hugging Face Trainer goes on after `resume_from_checkpoint` as if nothing had
# been: it holds neither times nor a mark, and the steps after the checkpoint are cut off.
TRACELESS: Final = "trainer_state"


def keeps_no_trace(run: Run) -> bool:
    """Return whether every file of the run is of a kind that a resume leaves as it was."""
    return bool(run.sources) and all(source.reader == TRACELESS for source in run.sources)


def restart_before(case: Case) -> Restart | None:
    """Return the last restart at or before the onset that is not too long ago, or None."""
    series = signal(case)
    stride = spacing(series) if series is not None else 1.0
    reach = EARLIER_SHARE * (case.run.last_step - case.run.first_step)
    start = case.anomaly.start_step
    found = [r for r in case.run.restarts if -2 * stride <= start - r.step <= reach]
    return found[-1] if found else None


def restart_near(case: Case) -> Restart | None:
    """Return the last restart close before the onset, or None."""
    series = signal(case)
    stride = spacing(series) if series is not None else 1.0
    span = case.run.last_step - case.run.first_step
    points = max(stride, min(NEAR_POINTS * stride, NEAR_MOST * span))
    reach = max(points, NEAR_SHARE * span)
    start = case.anomaly.start_step
    near = [r for r in case.run.restarts if -2 * stride <= start - r.step <= reach]
    return near[-1] if near else None
