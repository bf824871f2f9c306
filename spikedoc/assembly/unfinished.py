"""A training that was not over where its log ends."""

from __future__ import annotations

from typing import Final

import numpy as np

from spikedoc.model.metric import Metric
from spikedoc.model.objective import Objective, objective
from spikedoc.model.run import Run, Series
from spikedoc.signal.baseline import scatter
from spikedoc.text import Text, format_value, rounded

# Fewer finite losses than this cannot be judged at all.
MIN_POINTS: Final = 8
# A log that ends before nine tenths of the steps that it names was broken off, or still goes on.
WHOLE_SHARE: Final = 0.9
# By its course: a schedule at work (the rate moves by a thousandth and more over the last quarter)
# has come down by less than a tenth from its peak, and from the third quarter to the last one the
# level of the loss fell by a tenth, at five standard errors.
MIN_COURSE: Final = 60
MOVES: Final = 1e-3
NEAR_PEAK: Final = 0.9
FAST: Final = 0.1
ERRORS: Final = 5.0
LAST_RATES: Final = 5
PERCENT: Final = 100


def unfinished(run: Run, loss: Series) -> list[Text]:
    """Return that a log ends before the training does: by its planned steps, or by its course."""
    planned = _before_planned_end(run, loss)
    return planned or _while_falling(run, loss)


def _before_planned_end(run: Run, loss: Series) -> list[Text]:
    """Return how far the log goes where it ends well before the last step that it names."""
    total = run.config.get("total_steps")
    if not isinstance(total, int | float) or isinstance(total, bool) or not np.isfinite(total):
        return []
    if run.counts_epochs or len(loss) < MIN_POINTS:
        return []
    last = max(int(s.steps[-1]) for s in run.series if len(s))
    if last + loss.stride >= WHOLE_SHARE * total:
        return []
    said = Text(
        f"The log ends at step {last} of the {format_value(total)} that were planned: "
        "whether the run was broken off or still goes on, and what comes after, cannot be told.",
        f"日志在第 {last} 步结束，而计划是 {format_value(total)} 步："
        "看不出训练是中途停止还是仍在进行，也看不出之后的情况。",
    )
    return [said]


def _while_falling(run: Run, loss: Series) -> list[Text]:
    """Return that the loss still falls fast at a learning rate near its peak where the log ends."""
    rate, values = run.get(Metric.LR), loss.values
    if rate is None or len(loss) < MIN_COURSE or objective(run) is not Objective.PLAIN:
        return []
    rates = rate.finite()[1]
    if rates.size < LAST_RATES or not bool(loss.is_finite.all()) or float(values.min()) <= 0:
        return []
    late = rates[-max(LAST_RATES, rates.size // 4) :]
    if np.ptp(late) <= MOVES * abs(float(late[-1])):
        return []  # a constant rate tells of no plan
    share = float(np.median(rates[-LAST_RATES:]) / rates.max()) if rates.max() > 0 else 0.0
    quarter = values.size // 4
    before, last = values[-2 * quarter : -quarter], values[-quarter:]
    high, low = float(np.median(before)), float(np.median(last))
    error = scatter(np.diff(last)) / float(np.sqrt(quarter))
    if share < NEAR_PEAK or high - low < max(FAST * high, ERRORS * error):
        return []
    levels = [format_value(rounded(value, 4)) for value in (high, low)]
    percent = round(PERCENT * share)
    said = Text(
        f"The log ends while the loss still falls (median {levels[0]} in the third quarter, "
        f"{levels[1]} in the last) and the learning rate is at {percent} % of its peak: the "
        "training was not over, and what comes after cannot be told.",
        f"日志结束时损失仍在明显下降（第三个四分之一的中位数为 {levels[0]}，最后四分之一为 "
        f"{levels[1]}），学习率还在峰值的 {percent} %：训练尚未完成，看不出之后的情况。",
    )
    return [said]
