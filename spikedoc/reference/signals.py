"""Which signals get a band, how far healthy repetitions differ in them, and what is trouble."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from spikedoc.model.metric import Metric
from spikedoc.model.objective import Objective, objective
from spikedoc.model.run import Run
from spikedoc.reference.band import Side


@dataclass(frozen=True, slots=True)
class Habit:
    """What is known of a role before any run is seen.

    `spread` is the standard deviation of its level between repetitions of one training that differ
    in the seed alone: of the logarithm, or as a share of the range.
    """

    side: Side
    spread: float
    judged: bool = True


# Measured on trainings that really ran, from eight seeds each: benchmarks/reference.py, column
# "spread". What follows a schedule does not depend on the seed; times depend on the machine.
SEED: Final = 0.10
QUALITY: Final = 0.01
SCHEDULED: Final = 0.005
TIMED: Final = 0.05
HABITS: Final = {
    Metric.LOSS: Habit(Side.ABOVE, SEED),
    Metric.VAL_LOSS: Habit(Side.ABOVE, SEED),
    Metric.LOSS_COMPONENT: Habit(Side.ABOVE, SEED),
    Metric.VAL_LOSS_COMPONENT: Habit(Side.ABOVE, SEED),
    Metric.GRAD_NORM: Habit(Side.BOTH, 2 * SEED),
    Metric.GRAD_NORM_CLIPPED: Habit(Side.BOTH, 2 * SEED),
    Metric.UPDATE_NORM: Habit(Side.BOTH, SEED),
    Metric.WEIGHT_NORM: Habit(Side.BOTH, SEED),
    Metric.EXP_AVG_NORM: Habit(Side.BOTH, 2 * SEED),
    Metric.EXP_AVG_SQ_NORM: Habit(Side.BOTH, 2 * SEED),
    Metric.MAX_LOGIT: Habit(Side.ABOVE, SEED),
    Metric.LR: Habit(Side.BOTH, SCHEDULED),
    Metric.THROUGHPUT: Habit(Side.BELOW, TIMED),
    Metric.STEP_TIME: Habit(Side.ABOVE, TIMED),
    Metric.TRAIN_METRIC: Habit(Side.BOTH, QUALITY),
    Metric.VAL_METRIC: Habit(Side.BOTH, QUALITY),
    Metric.REWARD: Habit(Side.BELOW, 2 * SEED),
    Metric.LAYER_GRAD_NORM: Habit(Side.BOTH, 2 * SEED, judged=False),
    Metric.OTHER: Habit(Side.BOTH, 2 * SEED, judged=False),
}
# Whether more of it is better is not known by the role: it is the way healthy runs go.
OF_QUALITY: Final = (Metric.TRAIN_METRIC, Metric.VAL_METRIC)
LOSSES: Final = (
    Metric.LOSS,
    Metric.VAL_LOSS,
    Metric.LOSS_COMPONENT,
    Metric.VAL_LOSS_COMPONENT,
)


def habit(metric: Metric, run: Run) -> Habit | None:
    """Return what is known of a role in a run like this; None when it is given no band.

    A loss that may rise in health (a policy's, a generator's) is only told; one that training
    raises, such as a likelihood, is in trouble below its band.
    """
    known = HABITS.get(metric)
    if known is None or metric not in LOSSES:
        return known
    kind = objective(run)
    if kind is Objective.MAXIMISED:
        return Habit(Side.BELOW, known.spread)
    plain = kind in (Objective.PLAIN, Objective.PREFERENCE)
    return known if plain else Habit(Side.BOTH, 2 * known.spread, judged=False)
