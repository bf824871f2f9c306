"""What a log of this kind cannot show, said once at the end of a report."""

from __future__ import annotations

from typing import Final

from spikedoc.model.run import Run
from spikedoc.text import Text

# Fewer finite losses than this cannot be judged at all …
MIN_POINTS: Final = 8
# … and fewer than this give no verdict on spikes, periods and noise.
MIN_SPIKE_POINTS: Final = 60


def limits(run: Run) -> tuple[Text, ...]:
    """Return what a log of this kind cannot show."""
    loss = run.main_loss
    if loss is None:
        return (
            Text(
                "No training or validation loss was found: the course of training was not judged.",
                "没有找到训练或验证损失，因此无法判断训练过程。",
            ),
        )
    out = []
    points = int(loss.is_finite.sum())
    if points < MIN_POINTS:
        out.append(
            Text(
                f"Only {points} finite loss values: too few to judge the course of training.",
                f"损失只有 {points} 个有限值，不足以判断训练过程。",
            )
        )
    elif points < MIN_SPIKE_POINTS:
        out.append(
            Text(
                f"{points} loss values: spikes, periods and noise cannot be judged below "
                f"{MIN_SPIKE_POINTS} points.",
                f"损失只有 {points} 个点：少于 {MIN_SPIKE_POINTS} 点时无法判断尖峰、周期和噪声。",
            )
        )
    if loss.stride > 1:
        out.append(
            Text(
                f"The loss was logged every {loss.stride:g} steps: an event of one step may be "
                "missed, or averaged away.",
                f"损失每 {loss.stride:g} 步记录一次：只持续一步的事件可能漏掉或被平均掉。",
            )
        )
    return tuple(out)
