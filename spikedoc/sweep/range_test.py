"""A learning-rate range test: one run whose rate rises exponentially, its loss read against it."""

from __future__ import annotations

import math
from typing import Final

import numpy as np

from spikedoc.model.range_test import swept_rates
from spikedoc.model.run import FloatArray, Run
from spikedoc.signal.baseline import block_medians, scatter
from spikedoc.sweep.result import RangeTest
from spikedoc.text import Text, format_value

BLOCKS: Final = 40
# Slope over three blocks at a time: a twelfth of the range.
SLOPE_BLOCKS: Final = 3
# What counts as a fall or a rise: four scatters of the blocks.
SIGMAS: Final = 4.0


def read_range_test(run: Run) -> RangeTest | None:
    """Return where the loss falls fastest and where it turns, None for any other run."""
    found = swept_rates(run)
    if found is None:
        return None
    rates, losses = found
    width = max(1, rates.size // BLOCKS)
    x = block_medians(np.log10(rates), width)
    y = block_medians(np.where(np.isfinite(losses), losses, np.inf), width)
    usable = np.isfinite(y)
    stop = int(np.argmin(usable)) if not usable.all() else y.size
    steepest, turn, broken = _places(x[:stop], y[:stop], ended=stop < y.size)
    first, last = float(rates[0]), float(rates[-1])
    text = _text(steepest, turn, broken)
    return RangeTest(run.name, run.path, first, last, steepest, turn, broken, text)


def _places(
    x: FloatArray, y: FloatArray, *, ended: bool
) -> tuple[float | None, float | None, float | None]:
    """The rates of the steepest fall, of the turn and of the end, as far as noise lets them see."""
    if y.size < 2 * SLOPE_BLOCKS:
        return None, None, None
    low = int(np.argmin(y))
    start = float(np.median(y[:SLOPE_BLOCKS]))
    spread = scatter(np.diff(y[: low + 1])) / math.sqrt(2) if low >= SLOPE_BLOCKS else 0.0
    if start - float(y[low]) <= SIGMAS * spread or low < SLOPE_BLOCKS:
        return None, None, None
    slopes = (y[SLOPE_BLOCKS:] - y[:-SLOPE_BLOCKS]) / (x[SLOPE_BLOCKS:] - x[:-SLOPE_BLOCKS])
    at = int(np.argmin(slopes[: max(1, low - SLOPE_BLOCKS + 1)]))
    steepest = 10 ** float((x[at] + x[at + SLOPE_BLOCKS]) / 2)
    after = y[low:]
    rises = ended or float(after[-1]) - float(y[low]) > SIGMAS * spread
    back = np.flatnonzero(after > start)
    broken = 10 ** float(x[low + int(back[0])]) if back.size else None
    if broken is None and ended:
        broken = 10 ** float(x[-1])
    return steepest, (10 ** float(x[low]) if rises else None), broken


def _text(steepest: float | None, turn: float | None, broken: float | None) -> Text:
    kind = Text(
        "This is a range test within one run, not a sweep: each rate was seen for a moment only.",
        "这是单次训练内的学习率范围测试，不是多次训练的扫描：每个学习率只经历片刻。",
    )
    if steepest is None:
        return Text(
            f"{kind.en} The loss does not fall clearly at any rate, so nothing can be read off.",
            f"{kind.zh}损失在任何学习率下都没有明显下降，因此读不出结果。",
        )
    fall = format_value(_rounded(steepest))
    en, zh = f"{kind.en} The loss falls fastest near {fall}", f"{kind.zh}损失在 {fall} 附近下降最快"
    if turn is None:
        return Text(
            f"{en} and still falls at the end: go on to higher rates.",
            f"{zh}，到最后仍在下降：请继续试更大的学习率。",
        )
    lowest = format_value(_rounded(turn))
    en, zh = (
        f"{en}, is lowest near {lowest} and then rises",
        f"{zh}，在 {lowest} 附近最低，之后上升",
    )
    if broken is not None:
        gone = format_value(_rounded(broken))
        en, zh = f"{en}; from {gone} on it is above where it began", f"{zh}；从 {gone} 起高于起点"
    low = format_value(_rounded(turn / 10))
    high = format_value(_rounded(turn / 3))
    return Text(
        f"{en}. A peak rate is usually looked for a factor of three to ten below the turn, here "
        f"{low} to {high}; try these in runs of their own.",
        f"{zh}。峰值学习率通常在转折点的三分之一到十分之一处寻找，这里是 {low} 到 {high}；"
        "请分别单独训练来验证。",
    )


def _rounded(rate: float) -> float:
    """The rate to two digits: blocks of a fortieth of the range tell no more."""
    return float(f"{rate:.1e}")
