"""A loss that is not logged any more while what was logged beside it at each step goes on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from spikedoc.model.metric import Metric
from spikedoc.model.run import Run, Series
from spikedoc.text import Text

# Written at the same steps as the loss: nine in ten of them.
BESIDE: Final = 0.9
# A logger that closes may lose its last rows: so many of them, and a twentieth of the log.
LEAST_POINTS: Final = 10
LEAST_SHARE: Final = 0.05
# What is measured by itself, and may go on after the training.
NOT_OF_STEPS: Final = (Metric.VAL_LOSS, Metric.VAL_METRIC, Metric.VAL_LOSS_COMPONENT)


@dataclass(frozen=True, slots=True)
class LossEnd:
    """Where a loss ends, and what goes on to which step."""

    name: str
    step: int
    beside: str
    last: int


def loss_end(run: Run) -> LossEnd | None:
    """Return where the training loss ends while another series of its rows goes on; else None.

    Many writers leave NaN empty (`pandas.DataFrame.to_csv` with its `na_rep=""`), so the training
    may have been lost just there.
    """
    loss = run.get(Metric.LOSS)
    if loss is None or not len(loss) or not loss.is_finite[-1]:
        return None
    longest = max(
        (s for s in run.series if s.metric not in NOT_OF_STEPS and _is_beside(loss, s)),
        key=lambda s: int(s.steps[-1]),
        default=None,
    )
    if longest is None:
        return None
    return LossEnd(loss.spoken, int(loss.steps[-1]), longest.spoken, int(longest.steps[-1]))


def _is_beside(loss: Series, other: Series) -> bool:
    """Return whether `other` has the steps of the loss, and many more of the kind behind them."""
    if other.rank is not None or not len(other):
        return False
    more = int(np.count_nonzero(other.steps > loss.steps[-1]))
    if more < max(LEAST_POINTS, LEAST_SHARE * len(other)):
        return False
    shared = int(np.isin(loss.steps, other.steps).sum())
    return shared >= BESIDE * len(loss) and len(other) - more <= len(loss) / BESIDE


def said_of_the_end(found: LossEnd) -> Text:
    """Return that the loss ends there, and what may be hidden."""
    return Text(
        f"`{found.name}` ends at step {found.step} while `{found.beside}` goes on to step "
        f"{found.last}: it may be NaN that the writer left empty, as pandas does. What became of "
        "the training cannot be told.",
        f"`{found.name}` 在第 {found.step} 步之后没有记录，而 `{found.beside}` 一直记录到第 "
        f"{found.last} 步：可能是 NaN 被写成了空值（pandas 就会这样）。看不出训练后来如何。",
    )
