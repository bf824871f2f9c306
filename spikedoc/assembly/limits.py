"""What a log of this kind cannot show, said once at the end of a report."""

from __future__ import annotations

from typing import Final

import numpy as np

from spikedoc.assembly.loss_end import loss_end, said_of_the_end
from spikedoc.assembly.unfinished import unfinished
from spikedoc.detectors.adversary import sides
from spikedoc.model.metric import Metric
from spikedoc.model.rounded_zero import RoundedZero, rounded_zero
from spikedoc.model.run import FloatArray, Restart, Run, Series, Thinned
from spikedoc.text import Text, format_value, rounded

# Fewer finite losses than this cannot be judged at all …
MIN_POINTS: Final = 8
# … and fewer than this give no verdict on spikes, periods and noise.
MIN_SPIKE_POINTS: Final = 60
TAGS_SHOWN: Final = 8
# A twentieth of all norms within a thousandth of the highest: a threshold, not chance.
CEILING_SHARE: Final = 0.05
CEILING_WIDTH: Final = 1e-3
# Noise of so many points rises at every single one in two of a million series.
COUNTER_FEWEST: Final = 10
# A log begins late behind ten of its strides and a tenth of its last step.
LATE_STRIDES: Final = 10.0
LATE_SHARE: Final = 0.1


# A reward won and lost is looked for from so many records on (detectors/quality_fall.py).
MIN_REWARDS: Final = 60
BY_REWARD: Final = Text(
    "No loss was recognised: the run was judged by its reward and what was logged beside it; the "
    "course of a loss was not.",
    "没有识别出损失：判断依据是奖励以及与它一同记录的数据，没有判断损失的走势。",
)
# The balance of a GAN is judged from so many records of either side on (detectors/balance.py).
MIN_SIDE_POINTS: Final = 100
BY_SIDES: Final = Text(
    "No loss was recognised but the two of a GAN: judged were who of the two wins and what breaks; "
    "how good the samples are is in neither.",
    "没有识别出总损失，只有 GAN 双方的损失：判断的是哪一方占上风、数值是否异常；"
    "样本质量从二者都看不出来。",
)
NO_VALUE: Final = Text(
    "No finite loss was logged: the course of training cannot be judged.",
    "没有记录到任何有限的损失值，无法判断训练过程。",
)


def judged_by_reward(run: Run) -> bool:
    """Return whether a run without a loss has a reward long enough to see it won or lost."""
    reward = run.get(Metric.REWARD)
    long = reward is not None and int(reward.is_finite.sum()) >= MIN_REWARDS
    return run.main_loss is None and long


def judged_by_sides(run: Run) -> bool:
    """Return whether a run without a loss has those of a generator and its discriminator."""
    right, lost = sides(run)
    pair = (*right, lost) if right and lost is not None else ()
    long = (one is not None and int(one.is_finite.sum()) >= MIN_SIDE_POINTS for one in pair)
    return run.main_loss is None and bool(pair) and all(long)


def limits(run: Run) -> tuple[Text, ...]:
    """Return what a log of this kind cannot show."""
    loss = run.main_loss
    if loss is None:
        if judged_by_reward(run):
            return (BY_REWARD,)
        return (BY_SIDES if judged_by_sides(run) else _without_loss(run),)
    out = _few_values(int(loss.is_finite.sum()))
    out += [] if not _begins_late(loss) else [_unseen_before(loss)]
    out += unfinished(run, loss)
    ended = loss_end(run)
    out += [] if ended is None else [said_of_the_end(ended)]
    hidden = rounded_zero(run)
    out += [] if hidden is None else [_rounded_away(hidden)]
    out += [found for restart in run.restarts if (found := _went_back_from(restart)) is not None]
    thinned = [_thinned(one) for one in run.thinned if one.name == loss.name]
    out += thinned or ([_logged_seldom(loss)] if loss.stride > 1 else [])
    clipped = run.get(Metric.GRAD_NORM)
    if clipped is not None and _has_ceiling(clipped.values):
        out.append(
            Text(
                "`grad_norm` was logged after clipping: how large gradients were cannot be told.",
                "`grad_norm` 是裁剪之后记录的：看不出梯度原来有多大。",
            )
        )
    return tuple(out)


def _few_values(points: int) -> list[Text]:
    """Return what so few finite losses cannot show."""
    value = "value" if points == 1 else "values"
    if not points:
        return [NO_VALUE]
    if points < MIN_POINTS:
        return [
            Text(
                f"Only {points} finite loss {value}: too few to judge the course of training.",
                f"损失只有 {points} 个有限值，不足以判断训练过程。",
            )
        ]
    if points < MIN_SPIKE_POINTS:
        return [
            Text(
                f"{points} loss {value}: spikes, periods and noise cannot be judged below "
                f"{MIN_SPIKE_POINTS} points.",
                f"损失只有 {points} 个点：少于 {MIN_SPIKE_POINTS} 点时无法判断尖峰、周期和噪声。",
            )
        ]
    return []


def _rounded_away(hidden: RoundedZero) -> Text:
    """Return what a loss of 0 in two decimals says, and whether a mean cross-entropy can be it."""
    below = format_value(hidden.below)
    said = Text(
        f"The loss reads 0 throughout in a log of two decimals: it may be anything below {below}, "
        "and whether it moves cannot be told. Print more digits (`:.3e`).",
        f"日志只有两位小数，损失一直显示为 0：它可能是小于 {below} 的任何值，看不出是否在变化。"
        "请打印更多位数（`:.3e`）。",
    )
    if hidden.least_cross_entropy is None or hidden.train_accuracy is None:
        return said
    least = format_value(rounded(hidden.least_cross_entropy, 2))
    share = format_value(rounded(hidden.train_accuracy, 3))
    return Text(
        f"{said.en} With an accuracy of {share} the mean cross-entropy over the same samples is "
        f"{least} at least (each wrong answer costs ln 2 or more): this is another loss, or a mean "
        "divided once too often.",
        f"{said.zh}准确率为 {share} 时，同一批样本的平均交叉熵至少为 {least}（每个错误答案至少贡献 "
        "ln 2）：这里记录的是另一种损失，或者均值被多除了一次。",
    )


def _begins_late(loss: Series) -> bool:
    """Return whether a log begins so far from 0 that an earlier part of the training is missing."""
    if len(loss) < 2:
        return False
    first, last = int(loss.steps[0]), int(loss.steps[-1])
    return first > max(LATE_STRIDES * loss.stride, LATE_SHARE * last)


def _unseen_before(loss: Series) -> Text:
    step = int(loss.steps[0])
    return Text(
        f"The log begins at step {step}: how training went before, and whether weights, optimizer "
        "and schedule were carried over to there, cannot be told.",
        f"日志从第 {step} 步开始：看不出此前的训练情况，也看不出权重、优化器和调度器状态是否延续到"
        "了这里。",
    )


def _logged_seldom(loss: Series) -> Text:
    stride = format_value(loss.stride)
    return Text(
        f"The loss was logged every {stride} steps: an event of one step may be missed, or "
        "averaged away.",
        f"损失每 {stride} 步记录一次：只持续一步的事件可能漏掉或被平均掉。",
    )


def _thinned(one: Thinned) -> Text:
    """Return what was left out of a long series."""
    return Text(
        f"`{one.name}` was thinned as asked: {one.kept} of {one.points} points were kept, evenly "
        "spaced, and all that stand out as far as there was room. A short event that does not "
        "stand out may be missed.",
        f"`{one.name}` 已按要求抽稀：{one.points} 个点中保留了 {one.kept} 个，即等间隔的点，"
        "以及在限额之内所有明显偏离的点。不突出的短暂事件可能漏掉。",
    )


def _went_back_from(restart: Restart) -> Text | None:
    """Return what the loss had come to in a stretch that was written again, if it had gone bad."""
    piece = restart.piece
    if piece is None or piece.bad_step is None or piece.bad_value is None:
        return None
    value = format_value(rounded(piece.bad_value, 4))
    place = Text("", "") if not piece.before else Text(f" ({piece.before})", f"（{piece.before}）")
    return Text(
        f"Before the restart at step {restart.step} the loss had come to {value} at step "
        f"{piece.bad_step}{place.en}; that stretch was written again and is not judged.",
        f"在第 {restart.step} 步重启之前，损失曾在第 {piece.bad_step} 步达到 {value}{place.zh}；"
        "这一段后来被重新写过，未作判断。",
    )


def _has_ceiling(values: FloatArray) -> bool:
    """Return whether values pile up at their maximum, as norms after clipping do."""
    finite = values[np.isfinite(values)]
    if finite.size < MIN_SPIKE_POINTS:
        return False
    top = float(finite.max())
    at_top = float(np.mean(finite >= top * (1 - CEILING_WIDTH)))
    return top > 0 and CEILING_SHARE < at_top < 1.0


def _counts(series: Series) -> bool:
    """Return whether a series only ever rises, as epochs, clocks and other counters do."""
    values = series.values
    if values.size < COUNTER_FEWEST or not values[-1] > values[0]:
        return False
    return bool((np.diff(values) >= 0).all())


def _without_loss(run: Run) -> Text:
    """Return what is missing, and how to say which of the tags is the loss."""
    tags = [s.tag for s in run.series if not _counts(s)] or [s.tag for s in run.series]
    said = Text(
        "No training or validation loss was recognised, so the course of training was not judged.",
        "没有识别出训练或验证损失，因此没有判断训练过程。",
    )
    if not tags:
        return said
    shown = tags[:TAGS_SHOWN]
    more = " …" if len(tags) > TAGS_SHOWN else ""
    return Text(
        f"{said.en} If one of these is the loss, say so with `--map loss=TAG`: "
        f"{', '.join(shown)}{more}",
        f"{said.zh}如果其中某一项就是损失，请用 `--map loss=TAG` 指明：{'、'.join(shown)}{more}",
    )
