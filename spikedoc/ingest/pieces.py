"""Where one piece of a training meets the next: which file goes on, and what it wrote again."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from spikedoc.ingest.aliases import role_of
from spikedoc.ingest.strays import order_of
from spikedoc.model.metric import Metric
from spikedoc.model.run import FloatArray, IntArray, Piece, Restart
from spikedoc.readers.base import RawSeries
from spikedoc.text import Text, Values

# A rewritten stretch is remembered when the loss in it went to twice the level before, and above
# all that came before: what the restart went back from.
LOST_RISE: Final = 2.0
LEVEL_POINTS: Final = 50
LEAST_LEVEL_POINTS: Final = 5
# The same training counted in another way: the old values are a multiple of the new ones, the same
# to three digits at three steps or more. Two trainings, even from one seed, never agree like that.
RATIO_POINTS: Final = 3
RATIO_SPREAD: Final = 1e-3
RATIO_LEAST: Final = 1.01  # a loss that was computed anew differs in its last digits
# Seams told one by one in the notes.
SEAMS_TOLD: Final = 5

NEXT_FILE: Final = Text(
    "{source} goes on at step {step}, {before} ended at step {last_step}",
    "{source} 从第 {step} 步继续，{before} 止于第 {last_step} 步",
)
STEPS_BACK: Final = Text(
    "the steps go back from {last_step} to {step}", "步数从 {last_step} 退回到 {step}"
)
REWRITTEN: Final = Text(
    "{seam}; {rewritten} {rewritten|point|points} from there on were replaced"
    " ({changed} with another value)",
    "{seam}；其后的 {rewritten} 个点被改写（其中 {changed} 个数值不同）",
)
REWRITTEN_SAME: Final = Text(
    "{seam}; {rewritten} {rewritten|point|points} from there on were replaced (the same)",
    "{seam}；其后的 {rewritten} 个点被改写（数值相同）",
)
MORE_SEAMS: Final = Text(
    "{count} more {count|place|places} at which the log goes on", "另有 {count} 处日志被续写"
)


class Pieces:
    """Describes the seams of a log in the order of writing."""

    def __init__(self, clock: RawSeries, borders: Sequence[int], names: Sequence[str]) -> None:
        """`borders` are the orders at which the files called `names` begin."""
        self._clock, self._names = clock, names
        self._order = order_of(clock)
        self._borders = np.array(borders, dtype=np.int64)
        self._gone: NDArray[np.bool_] = np.zeros(clock.steps.size, dtype=bool)

    def piece(self, start: int, before: int, place: int, step: int) -> Piece:
        """Return what happened at a seam; asked for one after the other.

        `start` is the order at which the attempt begins, `before` and `place` those of the points
        on either side of the seam, `step` that of the first point behind it.
        """
        steps, values = self._clock.steps, self._clock.values
        earlier = (self._order >= start) & (self._order < place) & ~self._gone
        lost = earlier & (steps >= step)
        self._gone |= lost
        later = self._order >= place
        bad_step, bad_value = self._worst(earlier & (steps < step), lost)
        old, new = _both(steps[lost], values[lost], steps[later], values[later])
        return Piece(
            source=self._name(place),
            before=self._name(before),
            rewritten=int(lost.sum()),
            changed=int(np.sum((old != new) & ~(np.isnan(old) & np.isnan(new)))),
            bad_step=bad_step,
            bad_value=bad_value,
            ratio=_ratio(old, new),
        )

    def _name(self, order: int) -> str:
        at = int(np.searchsorted(self._borders, order, side="right")) - 1
        return self._names[at] if 0 <= at < len(self._names) else ""

    def _worst(
        self, kept: NDArray[np.bool_], lost: NDArray[np.bool_]
    ) -> tuple[int | None, float | None]:
        """The step and loss at which the rewritten stretch went bad, None where it did not."""
        if role_of(self._clock.tag).metric is not Metric.LOSS or not lost.any():
            return None, None
        steps, values = self._clock.steps[lost], self._clock.values[lost]
        level = self._clock.values[kept]
        level = level[np.isfinite(level)][-LEVEL_POINTS:]
        if level.size >= LEAST_LEVEL_POINTS:
            bad = np.flatnonzero(~np.isfinite(values))
            if bad.size:
                return int(steps[bad[0]]), float(values[bad[0]])
            at = int(np.argmax(values))
            high = max(LOST_RISE * float(np.median(level)), float(level.max()))
            if values[at] > high > 0:
                return int(steps[at]), float(values[at])
        return None, None


def _both(
    steps: IntArray, values: FloatArray, later_steps: IntArray, later_values: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return the values before and after at the steps that were written again."""
    _, i, j = np.intersect1d(steps, later_steps, return_indices=True)
    return values[i], later_values[j]


def _ratio(old: FloatArray, new: FloatArray) -> float | None:
    """Return old over new where that is one number, and not 1."""
    sound = np.isfinite(old) & np.isfinite(new) & (old > 0) & (new > 0)
    if np.count_nonzero(sound) < RATIO_POINTS or not sound.all():
        return None
    logs = np.log(old) - np.log(new)
    middle = float(np.median(logs))
    if float(np.ptp(logs)) > RATIO_SPREAD or abs(middle) < np.log(RATIO_LEAST):
        return None
    # A loss that never moves is at any ratio to itself.
    return float(np.exp(middle)) if float(np.ptp(np.log(new))) > RATIO_SPREAD else None


def told_pieces(restarts: Sequence[Restart]) -> list[Text]:
    """Return a note on each seam between files and on each stretch that was written again."""
    told = [_told(one) for one in restarts if one.piece is not None]
    said = [note for note in told if note is not None]
    if len(said) <= SEAMS_TOLD:
        return said
    return [*said[:SEAMS_TOLD], MORE_SEAMS.fill({"count": len(said) - SEAMS_TOLD})]


def _told(restart: Restart) -> Text | None:
    piece = restart.piece
    if piece is None:
        return None
    values: Values = {
        "source": piece.source,
        "before": piece.before,
        "step": restart.step,
        "last_step": restart.last_step,
        "rewritten": piece.rewritten,
        "changed": piece.changed,
    }
    if piece.source == piece.before and not piece.rewritten:
        return None
    seam = (NEXT_FILE if piece.source != piece.before else STEPS_BACK).fill(values)
    if not piece.rewritten:
        return seam
    told = REWRITTEN if piece.changed else REWRITTEN_SAME
    return told.fill({**values, "seam": seam})
